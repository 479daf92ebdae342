package mambridgetest

import (
	"sort"

	"mambridge"
)

// Network is the tenant of a sandbox over the network: a tenant service, Graph and an identity provider on this machine.
// It ends with the test, with all that it keeps on disk. When a verb of the sandbox returns, the network has read what the
// verb changed.
//
// As with the verbs, an error ends the test at once.
type Network struct {
	// Addresses and ids to configure an app with. Certificate is the path of the one to trust, for SSL_CERT_FILE, and
	// Secret the token for what is below /dev.
	mambridge.SandboxNetwork

	s *Sandbox
}

// NetworkFault lets checkIn, graph, token or keys fail, as `mambridge-tenant dev --help` says.
type NetworkFault struct {
	At    string
	Kind  string
	Times int64
	Delay string
}

// NetworkRequest is a request that somebody sent to a network.
type NetworkRequest = mambridge.NetworkRequest

// Network serves the tenant over the network, the same one each time. Needs mambridge-tenant.
func (s *Sandbox) Network() *Network {
	s.t.Helper()
	served, err := s.Client.Sandbox.Network(s.Context())
	s.check(err)
	s.isServed = true
	return &Network{SandboxNetwork: served, s: s}
}

// Environment returns the variables with which programs trust the certificate and find mambridge-tenant.
func (n *Network) Environment() []string { return assignments(n.SandboxNetwork.Environment) }

// Join starts a server with a state of its own, whose policy source is the service; the user is signed in.
func (n *Network) Join(user string, options *mambridge.Options) *mambridge.Client {
	n.s.t.Helper()
	app, err := n.s.Client.Sandbox.NetworkApp(n.s.Context(), fullName(user))
	n.s.check(err)
	return n.s.join(assignments(app.Environment), options, app.Arguments...)
}

// Token returns an access token of a user, for the service and for Graph.
func (n *Network) Token(user string) string {
	n.s.t.Helper()
	token, err := n.s.Client.Sandbox.NetworkToken(n.s.Context(), fullName(user))
	n.s.check(err)
	return token
}

// Fault plants a fault.
func (n *Network) Fault(fault NetworkFault) {
	n.s.t.Helper()
	params := &mambridge.SandboxNetworkFaultParams{}
	if fault.Times != 0 {
		params.Times = &fault.Times
	}
	if fault.Delay != "" {
		params.Delay = &fault.Delay
	}
	n.s.check(n.s.Client.Sandbox.NetworkFault(n.s.Context(), fault.At, fault.Kind, params))
}

// ClearFaults ends all faults.
func (n *Network) ClearFaults() {
	n.s.t.Helper()
	n.s.check(n.s.Client.Sandbox.ClearNetworkFaults(n.s.Context()))
}

// Requests returns the last requests.
func (n *Network) Requests() []NetworkRequest {
	n.s.t.Helper()
	found, err := n.s.Client.Sandbox.NetworkRequests(n.s.Context())
	n.s.check(err)
	return found
}

// Send sends a request to the service or to Graph, with a token, and with JSON or nil. Returns its status and body.
func (n *Network) Send(method, path, token string, body []byte) (int, []byte) {
	n.s.t.Helper()
	params := &mambridge.SandboxNetworkSendParams{Token: &token}
	if body != nil {
		params.Body = mambridge.Ptr(string(body))
	}
	answer, err := n.s.Client.Sandbox.NetworkSend(n.s.Context(), method, path, params)
	n.s.check(err)
	return int(answer.Status), []byte(answer.Body)
}

// Log returns what the service has written to its log.
func (n *Network) Log() string {
	n.s.t.Helper()
	text, err := n.s.Client.Sandbox.NetworkLog(n.s.Context())
	n.s.check(err)
	return text
}

// assignments returns the form of variables that os/exec takes.
func assignments(variables map[string]string) []string {
	var found []string
	for name, value := range variables {
		found = append(found, name+"="+value)
	}
	sort.Strings(found)
	return found
}
