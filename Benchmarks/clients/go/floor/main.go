// Main does the same as ../../floor.py: floor CALLS COMMAND….
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"strconv"
)

const request = `{"jsonrpc":"2.0","id":1,"method":"versionInfo.sdkVersion"}` + "\n"

func main() {
	calls, err := strconv.Atoi(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	server := exec.Command(os.Args[2], os.Args[3:]...)
	input, err := server.StdinPipe()
	if err != nil {
		log.Fatal(err)
	}
	output, err := server.StdoutPipe()
	if err != nil {
		log.Fatal(err)
	}
	if err := server.Start(); err != nil {
		log.Fatal(err)
	}
	lines := bufio.NewReader(output)
	for _, part := range []int{1, calls, calls} {
		var reply struct{ Result string }
		for call := 0; call < part; call++ {
			if _, err := input.Write([]byte(request)); err != nil {
				log.Fatal(err)
			}
			line, err := lines.ReadSlice('\n')
			if err != nil {
				log.Fatal(err)
			}
			if err := json.Unmarshal(line, &reply); err != nil {
				log.Fatal(err)
			}
		}
		fmt.Println(reply.Result)
	}
	input.Close()
	server.Wait()
}
