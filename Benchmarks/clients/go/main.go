// Main does the same as ../cost.py with the Go client: cost CALLS COMMAND….
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"strconv"

	"mambridge"
)

func main() {
	calls, err := strconv.Atoi(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	client, err := mambridge.Start(exec.Command(os.Args[2], os.Args[3:]...), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	for _, part := range []int{1, calls, calls} {
		answer := ""
		for call := 0; call < part; call++ {
			if answer, err = client.VersionInfo.SDKVersion(context.Background()); err != nil {
				log.Fatal(err)
			}
		}
		fmt.Println(answer)
	}
}
