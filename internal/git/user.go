package git

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"

	"github.com/cladehq/clade"
)

// Settings returns what the person's whole configuration (the system's, their
// own and the repository's) says for the keys that match an extended regular
// expression; of several values the last. Section and name are in lower case. A
// key without a value is "true". Every other call sees the repository's own
// configuration only.
func (r *Repo) Settings(ctx context.Context, pattern string) (map[string]string, error) {
	out, err := r.bare(ctx, r.place.WorkTree, "config", "-z", "--get-regexp", pattern)
	if err != nil && !Exited(err, 1) {
		return nil, err
	}
	set := map[string]string{}
	for record := range bytes.SplitSeq(out, []byte{0}) {
		key, value, ok := strings.Cut(string(record), "\n")
		if !ok {
			value = "true"
		}
		if key != "" {
			set[key] = value
		}
	}
	return set, nil
}

// Identity returns the variables that name the person as author and committer of
// a commit, from their configuration and environment. A person who has no name
// or address there is a *clade.Problem: git's guess of one is never used.
func (r *Repo) Identity(ctx context.Context) (env []string, err error) {
	for _, role := range []string{"AUTHOR", "COMMITTER"} {
		var out bytes.Buffer
		args := []string{"-c", "user.useConfigOnly=true", "var", "GIT_" + role + "_IDENT"}
		stderr := &tail{max: excerpt}
		cmd := r.command(ctx, args)
		cmd.Dir, cmd.Stdout, cmd.Stderr = r.place.WorkTree, &out, stderr
		cmd.Env = append(Scrub(os.Environ()), "LC_ALL=C", "LANGUAGE=", "GIT_DIR="+r.place.Dir)
		for _, part := range []string{"NAME", "EMAIL"} {
			if v, ok := os.LookupEnv("GIT_" + role + "_" + part); ok {
				cmd.Env = append(cmd.Env, "GIT_"+role+"_"+part+"="+v)
			}
		}
		if err := failure(ctx, args[2:], cmd.Run(), stderr); err != nil {
			var e *Error
			if errors.As(err, &e) && e.Code > 0 {
				return nil, &clade.Problem{Fault: clade.FaultEnvironment, Text: "git does not know who you are, which a commit needs", Err: err,
					Hint: "git config --global user.name and user.email tell it"}
			}
			return nil, err
		}
		name, rest, ok := strings.Cut(out.String(), " <")
		address, _, closed := strings.Cut(rest, ">")
		if !ok || !closed {
			return nil, errors.New("git var printed " + out.String())
		}
		env = append(env, "GIT_"+role+"_NAME="+name, "GIT_"+role+"_EMAIL="+address)
	}
	return env, nil
}
