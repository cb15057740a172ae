import { LineCounter, parseDocument, type Tags } from 'yaml';
import type { ReadYaml } from './exchange.ts';

/** A server reads neither dates nor `1:30` as anything but text. */
const customTags = (tags: Tags): Tags =>
  tags.filter(
    (tag) => typeof tag === 'string' || (tag.tag !== 'tag:yaml.org,2002:timestamp' && tag.format !== 'TIME'),
  );

/**
 * Reads the first document of a YAML body, with the booleans, numbers and merge keys of YAML 1.1. Of a repeated field the last
 * value counts, and `duplicates` has a message for each. Throws an Error with what a server sends after `yaml: `.
 */
export const readYaml: ReadYaml = (text) => {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { version: '1.1', lineCounter, prettyErrors: false, customTags });
  const duplicates: string[] = [];
  for (const { code, message, pos } of document.errors) {
    const line = lineCounter.linePos(pos[0]).line;
    if (code === 'MULTIPLE_DOCS') continue;
    if (code !== 'DUPLICATE_KEY') throw new Error(`line ${line}: ${message}`);
    const [, key = ''] = /^\s*(?:- )*["']?([^"':]*)/.exec(text.slice(pos[0])) ?? [];
    duplicates.push(`line ${line}: key ${JSON.stringify(key)} already set in map`);
  }
  return { value: document.toJS({ maxAliasCount: 50_000 }) as unknown, duplicates };
};
