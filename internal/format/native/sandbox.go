package native

import (
	"path"
	"slices"

	"github.com/cladehq/clade"
)

// grades are the grades of isolation, strongest first. auto is none of them.
var grades = []string{"container", "bwrap", "namespaces", "landlock", "none"}

const (
	gradeContainer = "container"
	useAuto        = "auto"
	imageHint      = "write image: with the name of a container image that has the programs your commands need"
)

func (d *decoder) sandbox(n *node) clade.Sandbox {
	s := clade.Sandbox{Use: useAuto, Home: "hide"}
	uses := append([]string{useAuto}, grades...)
	switch {
	case n == nil:
		return s
	case n.kind == text:
		if s.Use = d.choice(n, uses...); s.Use == gradeContainer {
			d.add(n.at, "write {use: container, image: …}", "%s: container needs to be told which image", n.path)
		}
		return s
	}
	f := d.fields(n, "write a kind of isolation, or a mapping with use")
	use, floor := f.get("use"), f.get("floor")
	s.Use = orDefault(d.choice(use, uses...), useAuto)
	s.Floor = d.choice(floor, grades...)
	if s.Floor != "" && s.Use != useAuto && slices.Index(grades, s.Use) > slices.Index(grades, s.Floor) {
		d.add(floor.at, "lower the floor, or write use: auto", "%s: use: %s gives less than %s", floor.path, s.Use, s.Floor)
	}
	s.Read = d.texts(f.get("read"), "list absolute paths", func(n *node) {
		if !path.IsAbs(n.text) && !drive().MatchString(n.text) {
			d.add(n.at, "write the whole path, like /usr/share/data", "%s: %s is not absolute", n.path, quote(n.text))
		}
	})
	s.Home = orDefault(d.choice(f.get("home"), "hide", "show"), "hide")
	s.Image = d.image(f.get("image"))
	d.imageFits(f, s)
	f.done()
	return s
}

// imageForm is loose: what an image may be called is for the container's own
// program to say. It may not be taken for an option.
var imageForm = pattern(`^[A-Za-z0-9][^\s]*$`)

func (d *decoder) image(n *node) string {
	s := d.text(n, imageHint)
	if s != "" && !imageForm().MatchString(s) {
		d.add(n.at, "write it like docker.io/library/golang:1.26", "%s: %s is no name of an image", n.path, quote(s))
	}
	return s
}

// imageFits asks for an image where only a container will do, and refuses one
// where none is used.
func (d *decoder) imageFits(f *fields, s clade.Sandbox) {
	container := s.Use == gradeContainer || s.Use == useAuto && s.Floor == gradeContainer
	switch {
	case container && !f.has("image"):
		d.add(f.of.at, imageHint, "%s.image is missing, which a container needs", f.of.path)
	case s.Use != gradeContainer && s.Use != useAuto:
		f.refuse("has no use where use is "+s.Use, "remove it, or write use: container", "image")
	}
}
