// Command govc is govmomi's command line, limited to the commands used to check the lab.
package main

import (
	"os"

	"github.com/vmware/govmomi/cli"
	_ "github.com/vmware/govmomi/cli/about"            // govc about
	_ "github.com/vmware/govmomi/cli/session"          // govc session.*
	_ "github.com/vmware/govmomi/cli/tags"             // govc tags.*
	_ "github.com/vmware/govmomi/cli/tags/association" // govc tags.attach, tags.detach
	_ "github.com/vmware/govmomi/cli/tags/category"    // govc tags.category.*
)

func main() { os.Exit(cli.Run(os.Args[1:])) }
