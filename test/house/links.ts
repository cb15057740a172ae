import { posix } from 'node:path';

/** The anchor of a heading, as GitHub generates it. */
export function anchorOf(heading: string): string {
  const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');
  return text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

/** A text without fenced blocks, whose lines are not headings, links or sentences. */
export function prose(text: string): string {
  return text.replace(/^( *)```[^]*?^\1```$/gm, '');
}

/** The anchors of a page; repeated headings have a number. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of prose(text).matchAll(/^#{1,6} (.*)$/gm)) {
    const anchor = anchorOf(heading);
    let n = 0;
    while (anchors.has(n === 0 ? anchor : `${anchor}-${n}`)) n += 1;
    anchors.add(n === 0 ? anchor : `${anchor}-${n}`);
  }
  return anchors;
}

/** The broken links of a page into this repository. `read`: the text of a file, `isThere`: whether a file or folder exists. */
export function brokenLinks(
  path: string,
  read: (path: string) => string,
  exists: (path: string) => boolean,
): string[] {
  return [...prose(read(path)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : posix.join(posix.dirname(path), decodeURI(file));
      if (!exists(target)) return true;
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(read(target)).has(anchor);
    })
    .map((link) => `${path}: ${link}`);
}
