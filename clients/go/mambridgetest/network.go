package mambridgetest

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"mambridge"
)

const (
	// How long the end of a network may take.
	endLimit = 20 * time.Second

	// How many requests a report has.
	lastRequests = 20
)

// Network is the tenant of a sandbox over the network: a tenant service, Graph and an identity provider on this machine.
// It ends with the test, with all that it keeps on disk. Changes of the sandbox count after Reload.
//
// As with the verbs, an error ends the test at once.
type Network struct {
	// Addresses and ids to configure an app with. Certificate is the path of the one to trust, for SSL_CERT_FILE.
	URL         string `json:"service"`
	Authority   string `json:"authority"`
	ClientID    string `json:"clientId"`
	Graph       string `json:"graph"`
	Certificate string `json:"certificate"`
	TenantID    string `json:"tenantId"`

	// The token for what is below /dev, and its file.
	Secret     string `json:"secret"`
	SecretFile string `json:"secretFile"`

	// A folder for the state of a server. Join makes others beside it.
	State string `json:"state"`

	s       *Sandbox
	program string
	joined  int
	process *exec.Cmd
	input   io.Closer
	log     string
	client  http.Client
}

// NetworkFault lets checkIn, graph, token or keys fail, as `mambridge-tenant dev --help` says.
type NetworkFault struct {
	At    string `json:"at"`
	Kind  string `json:"kind"`
	Times int    `json:"times,omitempty"`
	Delay string `json:"delay,omitempty"`
}

// NetworkRequest is a request that somebody sent to a network.
type NetworkRequest struct {
	Method, Path, Who, Why, Fault string
	Status                        int
}

// Network serves the tenant over the network, the same one each time. Needs mambridge-tenant.
func (s *Sandbox) Network() *Network {
	s.t.Helper()
	if s.network == nil {
		variables, err := s.Client.Sandbox.Environment(s.Context())
		s.check(err)
		network := &Network{s: s, program: os.Getenv("MAMBRIDGE_TENANT_PROGRAM")}
		s.check(network.start(variables["MAMBRIDGE_TENANT"]))
		s.network = network
	}
	return s.network
}

func (n *Network) start(tenant string) error {
	if n.program == "" {
		n.program = "mambridge-tenant"
	}
	if found, err := exec.LookPath(n.program); err == nil {
		n.program, _ = filepath.Abs(found)
	}
	// In the folder of the sandbox, which goes with it.
	n.log = filepath.Join(filepath.Dir(tenant), "network.log")
	log, err := os.Create(n.log)
	if err != nil {
		return err
	}
	defer log.Close()
	n.process = exec.Command(n.program, "dev", "--ephemeral", "--json", "--until-stdin-ends", "--tenant", tenant)
	n.process.Stderr = log
	n.input, _ = n.process.StdinPipe()
	output, _ := n.process.StdoutPipe()
	if err := n.process.Start(); err != nil {
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
			err = errors.New("there is no such program")
		}
		return fmt.Errorf("cannot start %s: %w. Install mambridge-tenant, or name the program with "+
			"MAMBRIDGE_TENANT_PROGRAM in the environment", n.program, err)
	}
	late := time.AfterFunc(startLimit, func() { _ = n.process.Process.Kill() })
	err = json.NewDecoder(output).Decode(n)
	late.Stop()
	if err == nil {
		err = n.trust()
	}
	if err != nil {
		_ = n.process.Process.Kill()
		n.close()
		return fmt.Errorf("%s does not serve a development tenant: %s (%w)", n.program, strings.TrimSpace(n.Log()), err)
	}
	return nil
}

func (n *Network) trust() error {
	secret, err := os.ReadFile(n.SecretFile)
	if err == nil {
		err = json.Unmarshal(secret, n)
	}
	if err != nil {
		return err
	}
	certificate, err := os.ReadFile(n.Certificate)
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(certificate)
	n.client.Timeout = n.s.options.Timeout
	n.client.Transport = &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: trusted}}
	return err
}

// Environment returns the variables with which programs trust the certificate and find mambridge-tenant.
func (n *Network) Environment() []string {
	return []string{"MAMBRIDGE_LIBEXEC=" + filepath.Dir(n.program), "SSL_CERT_FILE=" + n.Certificate}
}

// Join starts a server with a state of its own, whose policy source is the service; the user is signed in.
func (n *Network) Join(user string, options *mambridge.Options) *mambridge.Client {
	n.s.t.Helper()
	n.joined++
	state := fmt.Sprintf("%s-%d", n.State, n.joined)
	n.s.check(os.Mkdir(state, 0o700))
	// A state without this mark gives a development tenant nothing.
	n.s.check(os.WriteFile(filepath.Join(state, "development"), nil, 0o600))
	token := fmt.Sprintf("'%s' dev-token '%s' --service '%s'", n.program, fullName(user), n.URL)
	return n.s.join(n.Environment(), options, "--tenant", n.URL, "--state", state, "--token-command", token)
}

// Token returns an access token of a user, for the service and for Graph.
func (n *Network) Token(user string) string {
	n.s.t.Helper()
	said, err := exec.Command(n.program, "dev-token", fullName(user), "--service", n.URL).Output()
	if ended := (*exec.ExitError)(nil); errors.As(err, &ended) {
		err = errors.New(strings.TrimSpace(string(ended.Stderr)))
	}
	n.s.check(err)
	return strings.TrimSpace(string(said))
}

// Reload lets the changes of the sandbox count at once.
func (n *Network) Reload() {
	n.s.t.Helper()
	n.s.check(n.control("POST", "reload", nil, nil))
}

// Fault plants a fault.
func (n *Network) Fault(fault NetworkFault) {
	n.s.t.Helper()
	n.s.check(n.control("POST", "faults", fault, nil))
}

// ClearFaults ends all faults.
func (n *Network) ClearFaults() {
	n.s.t.Helper()
	n.s.check(n.control("DELETE", "faults", nil, nil))
}

// Requests returns the last requests.
func (n *Network) Requests() []NetworkRequest {
	n.s.t.Helper()
	found, err := n.requests()
	n.s.check(err)
	return found
}

func (n *Network) requests() ([]NetworkRequest, error) {
	var found struct{ Requests []NetworkRequest }
	err := n.control("GET", "requests", nil, &found)
	return found.Requests, err
}

func (n *Network) control(method, path string, body, result any) error {
	sent, err := json.Marshal(body)
	if err != nil {
		return err
	}
	status, text, err := n.send(method, "/dev/"+path, n.Secret, sent)
	if err != nil || result == nil && status < 400 {
		return err
	}
	var refused struct{ Error struct{ Message string } }
	if status < 400 {
		return json.Unmarshal(text, result)
	}
	if err := json.Unmarshal(text, &refused); err != nil {
		return err
	}
	return errors.New(refused.Error.Message)
}

// Send sends a request to the service or to Graph, with a token and JSON, and returns its status and body.
func (n *Network) Send(method, path, token string, body []byte) (int, []byte) {
	n.s.t.Helper()
	status, text, err := n.send(method, path, token, body)
	n.s.check(err)
	return status, text
}

func (n *Network) send(method, path, token string, body []byte) (int, []byte, error) {
	request, err := http.NewRequest(method, n.URL+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}}
	answer, err := n.client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer.StatusCode, text, err
}

// Log returns what the service has written to its log.
func (n *Network) Log() string {
	text, _ := os.ReadFile(n.log)
	return string(text)
}

// report returns the last requests, for the report of a failure.
func (n *Network) report() string {
	if n == nil {
		return ""
	}
	found, err := n.requests()
	if err != nil {
		return fmt.Sprintf("\nThe requests are lost: %v\n%s", err, n.Log())
	}
	var lines []string
	for _, request := range found {
		if !strings.HasPrefix(request.Path, "/dev/") {
			lines = append(lines, request.String())
		}
	}
	if len(lines) > lastRequests {
		lines = lines[len(lines)-lastRequests:]
	}
	return "\n--- the last requests to the network\n" + strings.Join(lines, "\n")
}

func (r NetworkRequest) String() string {
	text := r.Method + " " + r.Path
	if r.Who != "" {
		text += " by " + r.Who
	}
	text += fmt.Sprintf(": %d", r.Status)
	if r.Fault != "" {
		return text + ", " + r.Fault
	} else if r.Why != "" {
		return text + ", " + r.Why
	}
	return text
}

func (n *Network) close() {
	if n == nil {
		return
	}
	_ = n.input.Close()
	late := time.AfterFunc(endLimit, func() { _ = n.process.Process.Kill() })
	_ = n.process.Wait()
	late.Stop()
}
