package bench

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/sandbox/container"
)

// programs are the machine's own, which a container of an empty image is shown.
var programs = []string{"/bin", "/lib", "/lib64", "/usr"}

// bareImage makes an image of empty folders, so that nothing is downloaded. The
// caller removes it.
func bareImage(ctx context.Context) (name string, remove func(), err error) {
	program, err := container.Engine(ctx)
	if err != nil {
		return "", nil, &clade.Problem{Fault: clade.FaultEnvironment, Text: "there are no containers", Err: err}
	}
	files, err := emptyFolders("bin", "dev", "etc", "lib", "lib64", "proc", "run", "sys", "tmp", "usr", "var", "var/tmp")
	if err != nil {
		return "", nil, err
	}
	name = fmt.Sprintf("clade-bench:%d", os.Getpid())
	load := exec.CommandContext(ctx, program, "import", "-", name)
	load.Stdin = files
	if out, err := load.CombinedOutput(); err != nil {
		return "", nil, &clade.Problem{Fault: clade.FaultEnvironment, Text: "no container image can be made",
			Err: fmt.Errorf("%w: %s", err, bytes.TrimSpace(out))}
	}
	return name, func() { _ = exec.Command(program, "rmi", name).Run() }, nil // what it leaves is empty
}

// emptyFolders is an archive of folders.
func emptyFolders(names ...string) (*bytes.Buffer, error) {
	var out bytes.Buffer
	var errs []error
	w := tar.NewWriter(&out)
	for _, name := range names {
		errs = append(errs, w.WriteHeader(&tar.Header{Name: name + "/", Typeflag: tar.TypeDir, Mode: 0o755}))
	}
	return &out, errors.Join(append(errs, w.Close())...)
}
