import Testing

@testable import MAM

/// What the console's page loses before it is served.
@Suite struct PageSourceTests {
  @Test(
    "PageSource removes indentation and comment lines from scripts and styles, but keeps strings",
    arguments: [
      ("a.js", "  // why\n  let a = 1; // kept\n\n    b();\n", "let a = 1; // kept\nb();\n"),
      ("a.js", "const url =\n  \"https://x\";", "const url =\n\"https://x\";"),
      ("a.js", "  t = `\n  // text\n\n  end`;\n  // gone\n", "t = `\n  // text\n\n  end`;\n"),
      ("a.js", "  u = `\\``;\n  // gone\n  v();\n", "u = `\\``;\nv();\n"),
      ("a.css", "/* The frame */\na {\n  color: red; /* kept */\n}\n", "a{color:red;/* kept */\n}"),
      ("a.css", "/* a */ b {} /* c */\n/*/\nx */\n", "/* a */ b{}/* c */\n/*/\nx */\n"),
      ("a.css", "a :hover, b > c { font: 1px \"a, b\", 'c: d'; }\n", "a :hover,b > c{font:1px \"a, b\",'c: d'}"),
      ("a.css", "@media (width < 1px) and (hover: none) {\n  a {}\n}\n", "@media (width < 1px) and (hover:none){a{}}"),
      ("a.css", "/* it's */ a { x: calc(1px + 2px) }\nb { y: z }\n", "/* it's */ a { x: calc(1px + 2px) }\nb{y:z}"),
      ("a.css", "a {\n  color: red;\n}\nb::after { content: \";}\"; }\n", "a{color:red}b::after{content:\";}\"}"),
      (
        "a.css", "a { top: 0.5px -0.5px; color: rgb(0.1, 10.5, 0) }\n.b0.c {}\n",
        "a{top:.5px -0.5px;color:rgb(.1,10.5,0)}.b0.c{}"
      ),
      ("a.css", "", ""),
    ])
  func strips(_ name: String, _ text: String, _ expected: String) throws {
    let source = try #require(PageSource(named: name))
    let bytes = Array(text.utf8).withUnsafeBytes { source.stripped($0) }
    #expect(String(decoding: bytes, as: UTF8.self) == expected)
  }

  @Test("PageSource leaves files other than scripts and styles unchanged", arguments: ["index.html", "icon.svg", "js"])
  func others(_ name: String) { #expect(PageSource(named: name) == nil) }
}
