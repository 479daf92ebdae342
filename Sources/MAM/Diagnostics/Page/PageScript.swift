/// The search of the page. Everything can also be read without it.
enum PageScript {
  static let text = """
    (() => {
      const form = document.querySelector("form");
      const field = form.querySelector("input");
      const found = form.querySelector("output");
      const rowNames = "tbody tr:not(.group), .facts > div, .note";
      const textOf = (row) => [row, ...row.querySelectorAll("[title]"), row.parentElement.querySelector(":scope > .group")]
        .map((part) => part ? `${part.textContent} ${part.title}` : "").join(" ").toLowerCase();
      const rows = [...document.querySelectorAll(rowNames)].filter((row) => row.closest("main"))
        .map((row) => [row, textOf(row)]);
      const parts = [...document.querySelectorAll(
        "main section, main article, main details, main table, main tbody, main dl")];
      const search = () => {
        const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
        let count = 0;
        for (const [row, text] of rows) {
          row.hidden = !words.every((word) => text.includes(word));
          if (!row.hidden) count += 1;
        }
        for (const part of parts) {
          part.hidden = words.length > 0 &&
            ![...part.querySelectorAll(rowNames)].some((row) => !row.hidden);
          if (part.localName === "details") part.open = words.length > 0 && !part.hidden;
        }
        found.textContent = words.length > 0 ? `${count} found` : "";
      };
      form.hidden = false;
      field.addEventListener("input", search);
      form.addEventListener("submit", (event) => event.preventDefault());
      document.addEventListener("keydown", (event) => {
        if (event.key !== "/" || event.target === field) return;
        event.preventDefault();
        field.focus();
      });
    })();
    """
}
