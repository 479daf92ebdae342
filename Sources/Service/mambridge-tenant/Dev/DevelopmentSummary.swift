#if TenantService
  import Development
  import Glibc
  import HTTP
  import JSON
  import SourceProtocol
  import Tenancy

  /// What a development tenant prints when it listens.
  struct DevelopmentSummary {
    let origin: String
    let tenantId: String
    let folder: DevelopmentFolder
    /// `nil` for plain http.
    let certificate: String?
    let secret: String
    let secretFile: String
    let tenant: TenantSnapshot?

    private var authority: String { "\(origin)/\(tenantId)/v2.0" }

    /// For the sandbox that has started this process, over https.
    var places: DevelopmentPlaces {
      DevelopmentPlaces(
        service: origin, authority: authority, clientId: DevelopmentSettings.clientId, graph: origin + "/v1.0",
        tenantId: tenantId, certificate: certificate ?? "", secret: secret, state: folder.state)
    }

    /// One line for a program. Without the secret, which is in the file.
    var json: String {
      let object: JSONObject = [
        "development": true, "service": .string(origin), "authority": .string(authority),
        "tenantId": .string(tenantId), "clientId": .string(DevelopmentSettings.clientId),
        "graph": .string(origin + "/v1.0"), "certificate": certificate.map(JSONValue.string) ?? .null,
        "secretFile": .string(secretFile), "tenant": .string(folder.tenant), "state": .string(folder.state),
      ]
      return object.jsonText + "\n"
    }

    var text: String {
      let kept = folder.isThrowaway ? "throw-away; give a FOLDER to keep it" : folder.path
      let hostLines = certificate.map { trusted in
        [
          ("Begin", "export SSL_CERT_FILE=\(trusted.quoted) MAMBRIDGE_STATE=\(folder.state.quoted)"),
          ("Enroll", bridge("call enrollmentManager.registerAndEnrollAccount account=\(person)")),
          ("Wipe", "mambridge-tenant wipe \(origin) \(person) --token-command \(token("erin").quoted)"),
          ("Check in", bridge("call tenant.checkIn")),
        ]
      }
      let lines =
        (hostLines ?? []) + [
          ("Graph", "curl \(trust)-H \"Authorization: Bearer $(\(token("erin")))\" \(origin)/v1.0/users"),
          (
            "Browser",
            isatty(STDOUT_FILENO) == 1 ? "\(origin)/#\(secret)" : "\(origin)/ with the secret in \(secretFile)"
          ),
          ("Apps", "authority \(authority)   client id \(DevelopmentSettings.clientId)"),
          ("Files", folder.tenant),
        ]
      return "Development tenant \"\(tenant?.displayName ?? "")\" on \(origin)   (\(kept))\n  \(users)\n"
        + lines.map { "  \($0.0.padding(to: 10))\($0.1)\n" }.joined()
    }

    /// Where curl is set up with authorities of its own, SSL_CERT_FILE alone does nothing.
    private var trust: String { certificate == nil ? "" : "--cacert \"$SSL_CERT_FILE\" " }

    private var person: String { "alice@\(SampleFolder.domain)" }

    private func bridge(_ call: String) -> String {
      "mambridge --tenant \(origin) --token-command \(token("alice").quoted) \(call)"
    }

    private func token(_ user: String) -> String {
      let isUsual = origin.hasSuffix(":\(ServeDevelopment.usualPort)")
      return "mambridge-tenant dev-token \(user)" + (isUsual ? "" : " --service \(origin)")
    }

    private var users: String {
      guard folder.hasSample else {
        return (tenant?.users ?? []).prefix(8).map(\.userPrincipalName).joined(separator: "   ")
      }
      return SampleFolder.users.enumerated().map { index, user in
        index == 0 ? "\(user.key)@\(SampleFolder.domain): \(user.value)" : "\(user.key): \(user.value)"
      }.joined(separator: "   ")
    }
  }

  extension String {
    /// As one word of a shell.
    fileprivate var quoted: String {
      let isPlain = utf8.allSatisfy { byte in
        byte < 0x80 && (UnicodeScalar(byte).properties.isAlphabetic || "0123456789/._-+:@%".utf8.contains(byte))
      }
      return isPlain ? self : "'" + replacing("'", with: "'\\''") + "'"
    }

    fileprivate func padding(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
  }
#endif
