package mambridge

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// listening is what a server says when it listens.
type listening struct {
	Listening string
	TokenFile string
}

// listen starts the server that MAMBRIDGE names.
func listen(t *testing.T, address string) listening {
	if os.Getenv("MAMBRIDGE") == "" {
		t.Skip("MAMBRIDGE names no server")
	}
	command := exec.Command(os.Getenv("MAMBRIDGE"), "--tenant", "sample", "--state", t.TempDir(), "--listen", address)
	stderr, err := command.StderrPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Signal(syscall.SIGTERM); _ = command.Wait() })
	var said listening
	line, _ := bufio.NewReader(stderr).ReadBytes('\n')
	if err := json.Unmarshal(line, &said); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return said
}

func ask(t *testing.T, address string, options *Options) {
	ctx, cancel := context.WithTimeout(background, 30*time.Second)
	defer cancel()
	client, err := Dial(ctx, address, options)
	if err != nil {
		t.Fatal(err)
	}
	if version, err := client.VersionInfo.SDKVersion(ctx); err != nil || version == "" {
		t.Error(version, err)
	}
	begin := time.Now()
	if err := client.Close(); err != nil || time.Since(begin) > 5*time.Second {
		t.Error(err, time.Since(begin))
	}
}

func TestAUnixSocketServes(t *testing.T) {
	folder, err := os.MkdirTemp("", "mambridge") // A socket has a short path.
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	ask(t, listen(t, "unix://"+filepath.Join(folder, "socket")).Listening, nil)
}

func TestATCPConnectionNeedsTheToken(t *testing.T) {
	server := listen(t, "tcp://127.0.0.1:0")
	ask(t, server.Listening, &Options{TokenFile: server.TokenFile})
	wrong := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(wrong, []byte("0123\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Dial(background, server.Listening, &Options{TokenFile: wrong}); !errors.Is(err, ErrNotAuthenticated) {
		t.Error(err)
	}
}
