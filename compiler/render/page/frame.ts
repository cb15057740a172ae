import { forHtml } from '../../text/escape.ts';
import { SCRIPT, STYLE } from './style.ts';

/** What is on a page. */
export interface PageContent {
  title: string;
  /** Sentences below the title. */
  about: readonly string[];
  /** Parts of HTML, each with the class `group`, whose members have the class `target`. */
  sections: readonly string[];
  /** Seconds after which the page is loaded anew, while its reader has not begun to use it; undefined: never. */
  reloadsAfter?: number | undefined;
}

/**
 * One page that needs no network. It has no inline handler and no attribute `style`, and its policy allows the two texts of `style.ts`
 * alone, so that text of others can run nothing.
 *
 * @param sha256 the hash of a text as a policy names it: `sha256-` and base64
 */
export function pageFrame(
  { title, about, sections, reloadsAfter }: PageContent,
  sha256: (text: string) => string,
): string {
  const reload = reloadsAfter === undefined ? '' : ` data-reload="${reloadsAfter}"`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '${sha256(STYLE)}'; script-src '${sha256(SCRIPT)}'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${forHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body${reload}>
<header>
<h1>${forHtml(title)}</h1>
${about.map((text) => `<p>${forHtml(text)}</p>`).join('\n')}
</header>
<div class="filter"><label for="filter">Filter targets</label><input id="filter" type="search" autocomplete="off"><output id="shown" for="filter"></output></div>
<main>
${sections.join('\n')}
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
}
