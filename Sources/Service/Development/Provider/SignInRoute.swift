import HTTP

/// A path of the identity provider.
enum SignInRoute: Hashable {
  case discovery(tenant: String)
  case keys(tenant: String)
  case instance
  case authorize(tenant: String)
  case token(tenant: String)
  case deviceCode(tenant: String)
  case logOut(tenant: String)
  /// Where a person enters a device code.
  case deviceLogin
  /// The first page.
  case home
  /// A file of that page.
  case pageFile(String)

  /// `nil` for a path of the tenant service.
  init?(_ url: String) {
    guard let path = HTTPTarget(url)?.path else { return nil }
    switch (path.count, path.first, Array(path.dropFirst())) {
    case (0, _, _): self = .home
    case (1, "devicelogin", _): self = .deviceLogin
    case (2, "page", let rest): self = .pageFile(rest[0])
    case (_, "common", ["discovery", "instance"]): self = .instance
    case (_, let tenant?, ["v2.0", ".well-known", "openid-configuration"]): self = .discovery(tenant: tenant)
    case (_, let tenant?, ["discovery", "v2.0", "keys"]): self = .keys(tenant: tenant)
    case (_, let tenant?, ["oauth2", "v2.0", "authorize"]): self = .authorize(tenant: tenant)
    case (_, let tenant?, ["oauth2", "v2.0", "token"]): self = .token(tenant: tenant)
    case (_, let tenant?, ["oauth2", "v2.0", "devicecode"]): self = .deviceCode(tenant: tenant)
    case (_, let tenant?, ["oauth2", "v2.0", "logout"]): self = .logOut(tenant: tenant)
    default: return nil
    }
  }

  var methods: [String] {
    switch self {
    case .token, .deviceCode: ["POST"]
    case .authorize, .deviceLogin: ["GET", "POST"]
    case .discovery, .keys, .instance, .logOut, .home, .pageFile: ["GET"]
    }
  }

  /// Whether a person sees it, so that no other page may have a part in it.
  var isPage: Bool {
    switch self {
    case .authorize, .deviceLogin, .logOut, .home, .pageFile: true
    default: false
    }
  }

  var isToken: Bool {
    if case .token = self { true } else { false }
  }

  /// `nil` for a path that names none.
  var tenant: String? {
    switch self {
    case .discovery(let tenant), .keys(let tenant), .authorize(let tenant), .token(let tenant),
      .deviceCode(let tenant), .logOut(let tenant):
      tenant
    case .instance, .deviceLogin, .home, .pageFile: nil
    }
  }
}
