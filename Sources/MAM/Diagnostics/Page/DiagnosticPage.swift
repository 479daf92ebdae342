import Cryptography
import JSON
import Model

/// A diagnostic report as a self-contained HTML file: no other file, no network, and no script except its search. All
/// text is escaped, and the content security policy lets a browser run nothing else.
package struct DiagnosticPage {
  private let report: DiagnosticReport

  package init(report: DiagnosticReport) {
    self.report = report
  }

  package var bytes: [UInt8] { Array(text.utf8) }

  package var text: String {
    var html = HTMLText()
    html.raw("<!doctype html>\n")
    html.element("html", ["lang": "en"]) { html in
      html.element("head", [:], head)
      html.element("body", [:], body)
    }
    return html.text
  }

  private func head(_ html: inout HTMLText) {
    html.void("meta", ["charset": "utf-8"])
    html.void("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
    html.void("meta", ["name": "color-scheme", "content": "light dark"])
    html.void("meta", ["name": "referrer", "content": "no-referrer"])
    html.void("meta", ["http-equiv": "Content-Security-Policy", "content": Self.contentPolicy])
    html.element("title", [:]) { $0.escaped("Diagnostics of \(report.information.appId)") }
    html.element("style", [:]) { $0.raw(PageStyle.text) }
  }

  private static let contentPolicy = """
    default-src 'none'; style-src \(source(of: PageStyle.text)); script-src \(source(of: PageScript.text)); \
    base-uri 'none'; form-action 'none'
    """

  /// The hash by which the content security policy allows a text. Without a digest, nothing is allowed.
  private static func source(of text: String) -> String {
    guard let digest = try? SHA256.digest(Array(text.utf8)) else { return "'none'" }
    return "'sha256-\(Base64Bytes(digest).jsonValue.stringValue ?? "")'"
  }

  private func body(_ html: inout HTMLText) {
    let sections = report.details
    html.element("a", ["class": "skip", "href": "#main"]) { $0.escaped("Skip to the report") }
    html.element("header", [:], header)
    html.element("nav", ["aria-label": "Sections of the report"]) { html in navigation(&html, sections) }
    html.element("main", ["id": "main"]) { html in
      for section in sections { html.section(section) }
    }
    html.element("footer", [:]) { html in
      html.element("p", [:]) { html in
        html.escaped("Times such as “2 minutes ago” are relative to the time of this report, which is at the top. ")
        html.escaped("This report names accounts: share it only with people who may see them.")
      }
    }
    html.element("script", [:]) { $0.raw(PageScript.text) }
  }

  private func header(_ html: inout HTMLText) {
    html.element("p", ["class": "brand"]) { $0.escaped("mambridge") }
    html.element("h1", [:]) { $0.escaped("Diagnostics") }
    html.element("p", ["class": "about"]) { html in
      let time = report.information.time
      html.escaped("\(report.information.appId), ")
      html.element("time", ["datetime": time.description]) { $0.escaped("\(time.shortText) UTC") }
    }
    html.element("dl", ["class": "cards"]) { html in
      for fact in report.overviewFacts { html.fact(fact) }
    }
  }

  private func navigation(_ html: inout HTMLText, _ sections: [DiagnosticSection]) {
    html.element("ul", [:]) { html in
      for section in sections {
        html.element("li", [:]) { html in
          html.element("a", ["href": "#\(section.id)"]) { $0.escaped(section.title) }
        }
      }
    }
    html.element("form", ["role": "search", "hidden": ""]) { html in
      html.element("label", ["for": "search"]) { $0.escaped("Search") }
      html.void("input", ["type": "search", "id": "search", "placeholder": "Search the report", "autocomplete": "off"])
      html.element("output", ["for": "search", "aria-live": "polite"]) { _ in }
    }
  }
}
