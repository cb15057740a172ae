/** Text that Markdown, HTML, a shell or a tool that substitutes text would read as more than text, and where it would be. */

/** Each holds several at once. None has a character that `hostile.ts` looks for. */
export const MARKUP: readonly string[] = [
  '<x-evil onclick=x()></x-evil>"onmouseover="x()',
  "<script>x-evil()</script>'><img src=https://x-evil.example onerror=x()>",
  '</title></style></script><x-evil>',
  '[x](https://x-evil.example)![x](https://x-evil.example/x.png)',
  '`](https://x-evil.example) @x-evil/team #1 | x <!-- kruise plan -->',
  '```\n# x-evil\n- <x-evil>\n| a | b |\n\n    code',
  '\\<x-evil>\\`<x-evil>`\\[x](https://x-evil.example)',
  '${X_EVIL}${{ x.evil }}{{ x.evil }}{% x_evil %}$X_EVIL',
  '&lt;x-evil&gt;&#60;x-evil&#62;<![CDATA[<x-evil>]]>',
  "$(x-evil)`x-evil`'; x-evil; echo '",
];

/** The elements of the pages themselves. */
const OWN =
  /^<\/?(?:!doctype|a|body|circle|code|details|div|figcaption|figure|g|h[123]|head|header|html|input|label|li|line|main|meta|output|p|rect|script|section|span|style|summary|svg|table|tbody|td|text|th|thead|title|tr|ul)$/i;

/** What a browser would take for markup of others. */
export function markupInHtml(page: string): string[] {
  const names = page.match(/<[a-z!/][^\s>]*/gi) ?? [];
  // Attributes without the text in their quotes; a link within the page stays one.
  const tags = (page.match(/<[a-z](?:[^">]|"[^"]*")*>/gi) ?? []).map((tag) =>
    tag.replaceAll(/"(#?)[^"]*"/g, '"$1"'),
  );
  return [
    ...names.filter((name) => !OWN.test(name)),
    ...tags.filter((tag) => /\s(?:on[a-z]+|src|style)\s*=|\shref\s*=\s*(?!"#)/i.test(tag)),
    ...((page.match(/<script/gi)?.length ?? 0) > 1 ? ['a second script'] : []),
  ];
}

/** What a reader of Markdown would take for markup of others. In code it is text. */
export function markupInMarkdown(page: string): string[] {
  const prose = page
    .replaceAll(/^(`{3,})[^\n]*\n[^]*?\n\1$/gm, '')
    .replaceAll(/<code>[^]*?<\/code>/g, '')
    .replaceAll(/(?<![\\`])(`+)(?!`)[^]*?(?<!`)\1(?!`)/g, '');
  const outside = prose.match(/<\/?[a-z!][^\s>]*/gi) ?? [];
  return [
    ...outside.filter((tag) => !/^<(?:\/?(?:details|summary|code)|!--)$/i.test(tag)),
    ...(prose.match(/<!--[^]*?-->/g) ?? []).filter((comment) => comment !== '<!-- -->'),
    ...(prose.match(/(?<!\\)\]\(https?:|@x-evil|https?:\/\/x-evil|^# x-evil/gm) ?? []),
    // HTML is HTML in a code element, too.
    ...(page.match(/<code>[^]*?<\/code>/g) ?? []).flatMap(
      (code) => code.slice(6, -7).match(/<[a-z!/]/gi) ?? [],
    ),
  ];
}

/** What Flux would replace in a plan. The `vars` of kustomize are replaced in fields of other kinds alone. */
export function substitutedIn(plan: string): string[] {
  return plan.match(/\$\{/g) ?? [];
}
