//go:build peers

package container

import (
	"archive/tar"
	"bytes"
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/sandbox/sandboxtest"
)

// The suite in an image of busybox alone. The test program must be static:
// CGO_ENABLED=0.
func TestPeersSuite(t *testing.T) {
	_, image := busyboxImage(t)
	s, err := New(t.Context(), Options{Image: image})
	if err != nil {
		t.Fatal(err)
	}
	sandboxtest.Run(t, s, sandboxtest.Holds{Network: true, Files: true, Memory: true, Processes: true})
}

// busyboxImage makes an image for one test, by the program that is returned.
func busyboxImage(t *testing.T) (program, image string) {
	t.Helper()
	image = "clade-test:" + strings.ToLower(rand.Text())
	program, err := Engine(t.Context())
	if err != nil {
		t.Skip(err)
	}
	busybox, err := exec.LookPath("busybox")
	if err != nil {
		t.Skip("no busybox to make an image from")
	}
	load := exec.Command(program, "import", "-", image)
	load.Stdin = root(t, busybox)
	if out, err := load.CombinedOutput(); err != nil {
		t.Fatalf("making an image: %v: %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command(program, "rmi", image).Run() })
	if out, err := exec.Command(program, "run", "--rm", "--network", "none", "--ulimit", "nofile=256:256", "--ulimit", "nproc=256:256", image, "true").CombinedOutput(); err != nil {
		t.Skipf("left out: %s is here but runs nothing: %v: %s", program, err, out)
	}
	return program, image
}

// An image that is missing is told before anything is run.
func TestPeersMissingImage(t *testing.T) {
	if _, err := Engine(t.Context()); err != nil {
		t.Skip(err)
	}
	_, err := New(t.Context(), Options{Image: "clade-test:no-such-image"})
	var p *clade.Problem
	if !errors.As(err, &p) || p.Fault != clade.FaultEnvironment || !strings.Contains(p.Hint, "pull") {
		t.Errorf("got %v", err)
	}
}

// F10: what an engine that is dead left is removed when the next one begins.
func TestPeersF10OrphansAreSwept(t *testing.T) {
	program, image := busyboxImage(t)
	name := "clade-test-" + strings.ToLower(rand.Text())
	t.Cleanup(func() { _ = exec.Command(program, "rm", "--force", name).Run() })
	if out, err := exec.Command(program, "create", "--name", name, "--label", label+"="+deadMark(t), image, "true").CombinedOutput(); err != nil {
		t.Fatalf("leaving a container: %v: %s", err, out)
	}
	if _, err := New(t.Context(), Options{Image: image}); err != nil {
		t.Fatal(err)
	}
	if err := exec.Command(program, "container", "inspect", name).Run(); err == nil {
		t.Error("it is still there")
	}
}

// root is an image's files: busybox under the names of its applets.
func root(t *testing.T, busybox string) *bytes.Buffer {
	t.Helper()
	program, err := os.ReadFile(busybox)
	if err != nil {
		t.Fatal(err)
	}
	list, err := exec.Command(busybox, "--list").Output()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	add := func(h tar.Header, content []byte) {
		h.Size = int64(len(content))
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"bin", "usr", "usr/bin", "etc", "tmp", "run", "var", "var/tmp", "proc", "sys", "dev"} {
		add(tar.Header{Name: dir + "/", Typeflag: tar.TypeDir, Mode: 0o755}, nil)
	}
	add(tar.Header{Name: "etc/passwd", Mode: 0o644}, []byte("root:x:0:0::/:/bin/sh\n"))
	add(tar.Header{Name: "bin/busybox", Mode: 0o755}, program)
	for name := range strings.FieldsSeq(string(list)) {
		if name != "busybox" {
			add(tar.Header{Name: filepath.Join("bin", name), Typeflag: tar.TypeSymlink, Linkname: "/bin/busybox"}, nil)
			add(tar.Header{Name: filepath.Join("usr/bin", name), Typeflag: tar.TypeSymlink, Linkname: "/bin/busybox"}, nil)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &out
}
