// Command clade evolves anything with a measurable goal.
package main

import (
	"os"

	"github.com/cladehq/clade/internal/app"
)

func main() { os.Exit(app.Main()) }
