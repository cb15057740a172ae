import { countText } from '../../semantics/values/text.ts';
import { shorten } from '../text/escape.ts';

/** A comment on GitHub has at most 65,536 characters; whoever posts it adds some. */
const MOST = 60_000;
/** For the sentence about what is left out. */
const SENTENCE = 120;
/** Where no part fits beside that sentence. */
const SHORT = '\n\n… name this root alone\n';

/**
 * Pages of Markdown as one that a comment holds: where they do not fit together, each has an equal share, and what needs less leaves
 * its rest to the others. A page is cut before a section or an item of a list, and says how many are left out. Its
 * heading stays.
 */
export function pagesWithin(pages: readonly string[], most = MOST): string[] {
  if (pages.reduce((sum, page) => sum + page.length + 1, 0) <= most) return [...pages];
  const shares = pages.map(() => 0);
  let left = most;
  const ascending = [...pages.entries()].sort(([, a], [, b]) => a.length - b.length);
  for (const [index, [at, page]] of ascending.entries()) {
    const share = Math.min(page.length + 1, Math.floor(left / (pages.length - index)));
    shares[at] = share;
    left -= share;
  }
  return pages.map((page, at) => cut(page, (shares[at] ?? 0) - 1));
}

function cut(page: string, most: number): string {
  if (page.length <= most) return page;
  const parts = page.split(/^(?=#{2,3} |- `)/m);
  let used = SENTENCE;
  const beyond = parts.findIndex((part) => (used += part.length) > most);
  const shown = parts.slice(0, Math.max(0, beyond));
  if (shown.length === 0) {
    const [heading = ''] = page.split('\n', 1);
    return `${shorten(heading, Math.max(1, most - SHORT.length))}${SHORT}`;
  }
  const rest = countText(parts.length - shown.length, 'more part');
  return `${shown.join('')}\n… and ${rest}: name this root alone, or use \`-o json\`\n`;
}
