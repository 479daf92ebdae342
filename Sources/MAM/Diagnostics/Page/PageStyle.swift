/// The style of the page: light or dark like the reader's system, in one or two columns depending on the width.
enum PageStyle {
  static let text = [colors, frame, content, tables, narrow].joined(separator: "\n")

  /// Every text has a contrast of at least 4.5 to its background.
  private static let colors = """
    :root {
      color-scheme: light dark;
      --ground: #f3f5f9; --card: #ffffff; --line: #e1e6ee; --text: #18202c; --quiet: #566173;
      --accent: #2f49b8; --head: #1b2559; --head-end: #33509e; --head-text: #ffffff; --head-quiet: #cdd7f5;
      --good: #0b6b38; --good-ground: #e2f4e9; --warning: #7a4d00; --warning-ground: #fdf0d2;
      --bad: #a61b14; --bad-ground: #fde8e6;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --ground: #0d1219; --card: #161d27; --line: #28323f; --text: #e7ecf3; --quiet: #9dabbc;
        --accent: #9db2ff; --head: #111a3d; --head-end: #1f3168; --head-text: #f4f6ff; --head-quiet: #b5c2ea;
        --good: #6fdc9c; --good-ground: #12321f; --warning: #f3c262; --warning-ground: #36290c;
        --bad: #ff9a90; --bad-ground: #401a17;
      }
    }
    """

  private static let frame = """
    * { box-sizing: border-box; }
    [hidden] { display: none !important; }
    html { scroll-padding-top: 4.5rem; -webkit-text-size-adjust: 100%; }
    body { margin: 0; background: var(--ground); color: var(--text); overflow-wrap: break-word;
      font: 0.9375rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
    header, nav, main, footer { padding-inline: max(1rem, calc((100% - 70rem) / 2)); }
    header { background: linear-gradient(115deg, var(--head), var(--head-end)); color: var(--head-text);
      padding-block: 2rem 3.75rem; }
    .brand { margin: 0; color: var(--head-quiet); font-weight: 600; letter-spacing: 0.04em; }
    h1 { margin: 0; font-size: 2.125rem; line-height: 1.2; letter-spacing: -0.02em; }
    .about { margin: 0.25rem 0 0; color: var(--head-quiet); }
    .cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); gap: 0.75rem;
      margin: 1.5rem 0 -5.5rem; }
    .cards > div { background: var(--card); color: var(--text); border: 1px solid var(--line); border-radius: 0.75rem;
      padding: 0.875rem 1rem; box-shadow: 0 4px 14px rgb(12 20 45 / 12%); }
    .cards dt, .facts dt { color: var(--quiet); font-size: 0.8125rem; }
    .cards dd { margin: 0.125rem 0 0; font-weight: 600; }
    nav { position: sticky; top: 0; z-index: 1; display: flex; align-items: center; gap: 1rem; margin-top: 2.75rem;
      padding-block: 0.5rem; background: var(--ground); border-bottom: 1px solid var(--line); }
    nav ul { display: flex; flex: 1; flex-wrap: wrap; gap: 0.125rem 1rem; margin: 0; padding: 0; list-style: none; }
    a { color: var(--accent); text-decoration: none; border-radius: 0.25rem; }
    a:hover { text-decoration: underline; }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
    .skip { position: absolute; left: -100vw; }
    .skip:focus { left: 1rem; top: 1rem; z-index: 2; padding: 0.5rem 1rem; background: var(--card); }
    form { display: flex; align-items: center; gap: 0.5rem; }
    label { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
    input { width: 13rem; max-width: 100%; padding: 0.4375rem 0.75rem; color: var(--text); background: var(--card);
      border: 1px solid var(--line); border-radius: 999px; font: inherit; }
    input::placeholder { color: var(--quiet); opacity: 1; }
    output { color: var(--quiet); font-size: 0.8125rem; white-space: nowrap; }
    output:empty { display: none; }
    footer { padding-block: 0 2rem; color: var(--quiet); font-size: 0.8125rem; }
    """

  private static let content = """
    main { padding-block: 1.25rem 1rem; }
    section { margin-bottom: 1.25rem; padding: 1.25rem 1.5rem; background: var(--card); border: 1px solid var(--line);
      border-radius: 0.875rem; }
    h2 { margin: 0 0 0.75rem; font-size: 1.1875rem; letter-spacing: -0.01em; }
    h3 { display: flex; flex-wrap: wrap; align-items: center; gap: 0.625rem; margin: 0 0 0.75rem; font-size: 1rem; }
    article { padding-top: 0.25rem; }
    article + article { margin-top: 1.5rem; padding-top: 1.5rem; border-top: 1px solid var(--line); }
    .facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(19rem, 1fr)); gap: 0.75rem 2rem;
      margin: 0 0 1rem; }
    .facts:last-child { margin-bottom: 0; }
    .facts dd { margin: 0; }
    .note { margin: 0 0 1rem; color: var(--quiet); }
    .note:last-child { margin-bottom: 0; }
    .good, .warning, .bad { display: inline-block; padding: 0.0625rem 0.5rem; border-radius: 0.5rem;
      font-size: 0.875em; font-weight: 600; }
    .good { color: var(--good); background: var(--good-ground); }
    .warning { color: var(--warning); background: var(--warning-ground); }
    .bad { color: var(--bad); background: var(--bad-ground); }
    .quiet { color: var(--quiet); }
    .long { overflow-wrap: anywhere; }
    time[title] { text-decoration: underline dotted var(--line); text-underline-offset: 0.2em; cursor: help; }
    details { margin-top: 0.75rem; }
    summary { padding: 0.25rem 0; color: var(--accent); cursor: pointer; }
    """

  private static let tables = """
    table { width: 100%; margin: 0 0 1rem; border-collapse: collapse; font-size: 0.875rem; }
    table:last-child { margin-bottom: 0; }
    caption { padding: 0.25rem 0 0.375rem; text-align: left; color: var(--quiet); font-size: 0.8125rem;
      font-weight: 600; }
    th, td { padding: 0.4375rem 1rem 0.4375rem 0; border-top: 1px solid var(--line); text-align: left;
      vertical-align: top; }
    thead th { color: var(--quiet); font-size: 0.75rem; font-weight: 600; letter-spacing: 0.03em; }
    tbody th { font-weight: 500; }
    .group th { padding-top: 0.75rem; font-weight: 700; }
    tbody + tbody .group th { padding-top: 1.5rem; }
    tbody tr:hover { background: color-mix(in srgb, var(--accent) 5%, transparent); }
    #log th { white-space: nowrap; font-weight: 400; font-variant-numeric: tabular-nums; color: var(--quiet); }
    #log .facts { grid-template-columns: 1fr; }
    #log td:last-child > span { padding: 0; background: none; font-size: inherit; font-weight: inherit; }
    """

  private static let narrow = """
    @media (min-width: 48.01rem) {
      #log td:nth-child(2), #log td:nth-child(3) { white-space: nowrap; }
    }
    @media (max-width: 48rem) {
      header { padding-block: 1.5rem 3.25rem; }
      .cards { grid-template-columns: 1fr 1fr; }
      .cards > div:last-child:nth-child(odd) { grid-column: 1 / -1; }
      nav { position: static; flex-direction: column; align-items: stretch; }
      nav ul { gap: 0.5rem 1.25rem; }
      input { width: 100%; }
      section { padding: 1rem; }
      .facts { grid-template-columns: 1fr; }
      thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
      table, tbody, tr, th, td, caption { display: block; }
      tbody tr { padding: 0.625rem 0; border-top: 1px solid var(--line); }
      tbody th, tbody td { padding: 0.0625rem 0; border: 0; }
      tbody th { font-weight: 600; }
      tbody td { display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); gap: 0.5rem; justify-items: start;
        overflow-wrap: anywhere; }
      tbody td::before { content: attr(data-column); color: var(--quiet); font-size: 0.8125rem; }
      #log th { white-space: normal; }
    }
    @media print, (hover: none) {
      time[title] { text-decoration: none; }
      time[title]::after { content: attr(title); display: inline-block; margin-left: 0.35em; color: var(--quiet);
        white-space: nowrap; }
      td time[title]::after, #log th time[title]::after { display: block; margin-left: 0; font-size: 0.8125rem; }
    }
    @media (hover: none) and (max-width: 48rem) {
      td time[title]::after { white-space: normal; }
    }
    @media (hover: none) and (min-width: 48.01rem) and (max-width: 64rem) {
      td time[title]::after { content: none; }
    }
    @media print {
      nav { display: none; }
      header { color: inherit; background: none; }
      section { break-inside: avoid; }
    }
    """
}
