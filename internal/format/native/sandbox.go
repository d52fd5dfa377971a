package native

import (
	"path"
	"slices"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/syntax"
)

// grades are the grades of isolation, strongest first. auto is none of them.
var grades = []string{"container", "bwrap", "namespaces", "landlock", "none"}

const (
	gradeContainer = "container"
	useAuto        = "auto"
	imageHint      = "write image: with the name of a container image that has the programs your commands need"
)

// sandbox reads how commands are isolated, over what is known of it.
func (d *decoder) sandbox(n *syntax.Node, s clade.Sandbox) clade.Sandbox {
	uses := append([]string{useAuto}, grades...)
	switch {
	case n == nil:
		return s
	case n.Kind == syntax.Text:
		if s.Use = d.Choice(n, uses...); s.Use == gradeContainer && s.Image == "" {
			d.Add(n.At, "write {use: container, image: …}", "%s: container needs to be told which image", n.Path)
		}
		d.floorFits(n, s)
		return s
	}
	f := d.Fields(n, "write a kind of isolation, or a mapping with use")
	s.Use = orDefault(d.Choice(f.Get("use"), uses...), s.Use)
	s.Floor = orDefault(d.Choice(f.Get("floor"), grades...), s.Floor)
	d.floorFits(n, s)
	if read := f.Get("read"); read != nil {
		s.Read = d.Texts(read, "list absolute paths", func(n *syntax.Node) {
			if !path.IsAbs(n.Text) && !drive().MatchString(n.Text) {
				d.Add(n.At, "write the whole path, like /usr/share/data", "%s: %s is not absolute", n.Path, syntax.Quote(n.Text))
			}
		})
	}
	s.Home = orDefault(d.Choice(f.Get("home"), "hide", "show"), s.Home)
	s.Image = orDefault(d.image(f.Get("image")), s.Image)
	d.imageFits(f, s)
	f.Done()
	return s
}

// floorFits refuses an isolation below the floor.
func (d *decoder) floorFits(n *syntax.Node, s clade.Sandbox) {
	if s.Floor != "" && s.Use != useAuto && slices.Index(grades, s.Use) > slices.Index(grades, s.Floor) {
		d.Add(first(n, "floor", "use").At, "lower the floor, or write use: auto", "%s.floor: use: %s gives less than %s", n.Path, s.Use, s.Floor)
	}
}

// imageForm is loose: what an image may be called is for the container's own
// program to say. It may not be taken for an option.
var imageForm = pattern(`^[A-Za-z0-9][^\s]*$`)

func (d *decoder) image(n *syntax.Node) string {
	s := d.Text(n, imageHint)
	if s != "" && !imageForm().MatchString(s) {
		d.Add(n.At, "write it like docker.io/library/golang:1.26", "%s: %s is no name of an image", n.Path, syntax.Quote(s))
	}
	return s
}

// imageFits asks for an image where only a container will do, and refuses one
// where none is used.
func (d *decoder) imageFits(f *syntax.Fields, s clade.Sandbox) {
	container := s.Use == gradeContainer || s.Use == useAuto && s.Floor == gradeContainer
	switch {
	case container && !f.Has("image") && s.Image == "":
		d.Add(f.Of.At, imageHint, "%s.image is missing, which a container needs", f.Of.Path)
	case s.Use != gradeContainer && s.Use != useAuto:
		f.Refuse("has no use where use is "+s.Use, "remove it, or write use: container", "image")
	}
}
