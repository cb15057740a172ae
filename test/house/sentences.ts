import { prose } from './links.ts';

/** The blocks of a page: paragraphs, items of lists and cells of tables, each on one line and without addresses. */
function blocks(text: string): string[] {
  const found: string[] = [];
  let open = '';
  const close = (): void => {
    if (open !== '') found.push(open);
    open = '';
  };
  for (const line of prose(text.replace(/<!--[^]*?-->/g, '')).split('\n')) {
    const item = /^\s*(?:[-*]|\d+\.|#+|>) +(.*)$/.exec(line)?.[1];
    if (line.startsWith('|') || line.trim() === '' || item !== undefined) close();
    if (line.startsWith('|')) found.push(...line.split('|'));
    else open = `${open} ${(item ?? line).trim()}`.trim();
  }
  close();
  return found.map((block) => block.replace(/\]\([^)]*\)/g, ']'));
}

/** Sentences of a page with more than `most` words. */
export function longSentences(text: string, most: number): string[] {
  return blocks(text)
    .flatMap((block) => block.split(/(?<=[.!?][)”"*_]*)\s+(?=[(“"*_`[]*[A-Z`])/))
    .filter((sentence) => sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length > most);
}
