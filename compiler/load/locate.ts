import { isAlias, isMap, isNode, isScalar, isSeq } from 'yaml';
import type { Document, Node } from 'yaml';
import type { Place, Source } from '../diagnostics/diagnostic.ts';
import { parseYaml } from './parse.ts';

/** Where in a source an object stands: the document and, inside a List, the path to the item. */
export interface Origin {
  source: Source;
  document: number;
  path: readonly string[];
}

/**
 * Finds places in sources. Positions are needed for mistakes only, so the documents are parsed again when the first
 * one in a file is asked for, and only the last file is kept.
 */
export function createLocator(): (origin: Origin, path: readonly string[], part: 'key' | 'value') => Place {
  let last: { source: Source; documents: Document[] } | undefined;
  return (origin, path, part) => {
    if (last?.source !== origin.source) {
      last = { source: origin.source, documents: parseYaml(origin.source).documents };
    }
    const document = last.documents[origin.document];
    const found = document && findNode(document, [...origin.path, ...path], part);
    const [start, end] = found?.range ?? [0, 0];
    return { source: origin.source, start, end };
  };
}

/** The node at a path; where the path leads nowhere, the deepest node on the way. */
function findNode(document: Document, path: readonly string[], part: 'key' | 'value'): Node | undefined {
  let node: Node | undefined = isNode(document.contents) ? document.contents : undefined;
  let key: Node | undefined;
  for (const [index, step] of path.entries()) {
    if (isAlias(node)) node = node.resolve(document);
    let next: unknown;
    if (isMap(node)) {
      const pair = node.items.findLast((item) => isScalar(item.key) && textOf(item.key.value) === step);
      if (pair === undefined) return index === 0 ? node : (key ?? node);
      key = isNode(pair.key) ? pair.key : undefined;
      next = pair.value;
    } else if (isSeq(node)) {
      next = node.items[Number(step)];
      key = undefined;
    }
    if (!isNode(next)) return key ?? node;
    node = next;
  }
  return part === 'key' ? (key ?? node) : node;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : String(value);
}
