package mambridge

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	// How long a server may take to finish after the end of its input.
	finishLimit = 35 * time.Second

	// How long a server may take to exit after SIGTERM or the end of its output.
	exitLimit = 5 * time.Second

	lastLines = 20

	// With the value "own", the server leaves the process group of this program.
	groupVariable = "MAMBRIDGE_PROCESS_GROUP"

	unknownEnd = "mambridge has ended; its exit code is unknown, because this program ignores SIGCHLD or waits for any child"
)

// stream is a connection to a server.
type stream interface {
	io.ReadWriter

	// CloseWrite says that no more messages will be written.
	CloseWrite() error

	// lost says why there is nothing more to read.
	lost() *ConnectionLostError

	// end ends the other side, which may take until the limit to end by itself.
	end(limit time.Duration)
}

// child is a server as a child process. Its own pipes outlive Wait, so nothing that it wrote is lost.
type child struct {
	command *exec.Cmd
	stdin   *os.File
	stdout  *os.File
	stderr  *os.File
	exited  chan struct{}
	drained chan struct{}
	mutex   sync.Mutex
	last    []string
}

func startChild(command *exec.Cmd, sharesGroup bool) (*child, error) {
	if !sharesGroup {
		leaveGroup(command)
	}
	c := &child{command: command, exited: make(chan struct{}), drained: make(chan struct{})}
	copyTo := command.Stderr
	theirs, err := c.openPipes()
	defer closeAll(theirs)
	if err == nil {
		command.Stdin, command.Stdout, command.Stderr = theirs[0], theirs[1], theirs[2]
		err = command.Start()
	}
	if err != nil {
		closeAll([]*os.File{c.stdin, c.stdout, c.stderr})
		return nil, err
	}
	go c.keepLastLines(copyTo)
	go c.wait()
	return c, nil
}

// leaveGroup asks the server to leave our process group, unless the environment says something else.
func leaveGroup(command *exec.Cmd) {
	environment := command.Environ()
	for _, entry := range environment {
		if strings.HasPrefix(entry, groupVariable+"=") {
			return
		}
	}
	command.Env = append(environment[:len(environment):len(environment)], groupVariable+"=own")
}

// openPipes opens our ends, and returns those of the child.
func (c *child) openPipes() (theirs []*os.File, err error) {
	var input, output, errorOutput *os.File
	if input, c.stdin, err = os.Pipe(); err != nil {
		return nil, err
	}
	if c.stdout, output, err = os.Pipe(); err != nil {
		return []*os.File{input}, err
	}
	c.stderr, errorOutput, err = os.Pipe()
	return []*os.File{input, output, errorOutput}, err
}

func closeAll(files []*os.File) {
	for _, file := range files {
		file.Close()
	}
}

// wait reaps the child. Whose status nobody can learn, because the program ignores SIGCHLD or waits for any child, has
// ended, too. A grandchild may keep the pipes open, so what is in them is read for a limited time.
func (c *child) wait() {
	_ = c.command.Wait()
	soon := time.Now().Add(exitLimit)
	_ = c.stdout.SetReadDeadline(soon)
	_ = c.stderr.SetReadDeadline(soon)
	close(c.exited)
}

func (c *child) keepLastLines(copyTo io.Writer) {
	defer close(c.drained)
	reader := bufio.NewReaderSize(c.stderr, 1<<16)
	for {
		line, err := reader.ReadSlice('\n')
		c.keep(string(line))
		if copyTo != nil && len(line) > 0 {
			_, _ = copyTo.Write(line)
		}
		if err != nil && err != bufio.ErrBufferFull {
			return
		}
	}
}

func (c *child) keep(line string) {
	line = strings.TrimRight(strings.ToValidUTF8(line, "\uFFFD"), "\r\n ")
	if line == "" {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.last = append(c.last, line)
	if len(c.last) > lastLines {
		c.last = c.last[1:]
	}
}

func (c *child) Read(data []byte) (int, error)  { return c.stdout.Read(data) }
func (c *child) Write(data []byte) (int, error) { return c.stdin.Write(data) }
func (c *child) CloseWrite() error              { return c.stdin.Close() }
func (c *child) hasExited() bool                { return within(c.exited, 0) }

func (c *child) lost() *ConnectionLostError {
	if !within(c.exited, exitLimit) {
		return lost("mambridge closed its output but is still running")
	}
	within(c.drained, time.Second)
	state := c.command.ProcessState
	found := &ConnectionLostError{ExitCode: state.ExitCode(), LastLines: c.lastWords()}
	if state == nil {
		found.Reason = unknownEnd
		return found
	}
	found.Reason = fmt.Sprintf("mambridge exited with code %d", found.ExitCode)
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		found.Signal = status.Signal()
		found.Reason = "mambridge was killed by " + nameOf(found.Signal)
	}
	return found
}

func (c *child) lastWords() []string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return append([]string(nil), c.last...)
}

func (c *child) end(limit time.Duration) {
	if !within(c.exited, limit) {
		_ = c.command.Process.Signal(syscall.SIGTERM)
		if !within(c.exited, exitLimit) {
			_ = c.command.Process.Kill()
			within(c.exited, exitLimit)
		}
	}
	within(c.drained, time.Second)
	closeAll([]*os.File{c.stdout, c.stderr})
}

// The names of the signals from 1 on.
var signalNames = strings.Fields("HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM")

func nameOf(number syscall.Signal) string {
	if number > 0 && int(number) <= len(signalNames) {
		return fmt.Sprintf("signal %d (SIG%s)", number, signalNames[number-1])
	}
	return fmt.Sprintf("signal %d", number)
}

// within reports whether a channel is closed within a time.
func within(done <-chan struct{}, limit time.Duration) bool {
	select {
	case <-done:
		return true
	default:
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// socket is a connection over TCP or a unix socket.
type socket struct {
	halfCloser
}

type halfCloser interface {
	net.Conn
	CloseWrite() error
}

func dialSocket(ctx context.Context, address string) (*socket, error) {
	network, place, ok := strings.Cut(address, "://")
	if !ok || network != "unix" && network != "tcp" {
		return nil, fmt.Errorf("%s is no address; use tcp://HOST:PORT or unix:///PATH", address)
	}
	connection, err := new(net.Dialer).DialContext(ctx, network, place)
	if err != nil {
		return nil, err
	}
	return &socket{connection.(halfCloser)}, nil
}

func (s *socket) lost() *ConnectionLostError { return lost("mambridge closed the connection") }

func (s *socket) end(time.Duration) { s.Close() }
