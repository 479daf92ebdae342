package mambridge

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"testing"
	"time"
)

// peer is the other side of a client in a test. It reads what the client writes, and writes what the test says.
type peer struct {
	t       *testing.T
	input   *bufio.Reader
	output  *io.PipeWriter
	finish  func()
	patient *time.Timer
}

// pipes is the stream of a client to a peer.
type pipes struct {
	*io.PipeReader
	*io.PipeWriter
}

func (p pipes) CloseWrite() error          { return p.PipeWriter.Close() }
func (p pipes) Close() error               { return p.PipeReader.Close() }
func (p pipes) lost() *ConnectionLostError { return lost("the peer is gone") }
func (p pipes) end(time.Duration)          { p.Close() }

// connect returns a client and its peer, which gives up after 10 seconds.
func connect(t *testing.T, options *Options) (*Client, *peer) {
	theirInput, ourOutput := io.Pipe()
	ourInput, theirOutput := io.Pipe()
	client := newClient(pipes{ourInput, ourOutput}, options)
	p := &peer{t: t, input: bufio.NewReader(theirInput), output: theirOutput}
	p.finish = func() { theirOutput.Close(); theirInput.Close() }
	p.patient = time.AfterFunc(10*time.Second, p.finish)
	t.Cleanup(func() { p.finish(); p.patient.Stop(); client.Close() })
	return client, p
}

// request is a message of the client.
type request struct {
	ID     any
	Method string
	Params map[string]any
	Result any
	Error  map[string]any
}

func (p *peer) next() request {
	p.t.Helper()
	line, err := p.input.ReadBytes('\n')
	var found request
	if err == nil {
		err = json.Unmarshal(line, &found)
	}
	if err != nil {
		p.t.Fatalf("no message of the client: %v", err)
	}
	return found
}

func (p *peer) say(format string, values ...any) {
	fmt.Fprintf(p.output, format+"\n", values...)
}

func (p *peer) answer(to request, result string) {
	p.say(`{"jsonrpc":"2.0","id":%v,"result":%s}`, to.ID, result)
}

// later runs a call on a goroutine, and returns where its error arrives.
func later(call func() error) <-chan error {
	end := make(chan error, 1)
	go func() { end <- call() }()
	return end
}
