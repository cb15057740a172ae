import {
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  stringify,
} from 'yaml';
import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { canonicalJson } from '../../semantics/values/canonical-json.ts';
import { isObject } from '../load/identity.ts';

interface Edit {
  from: number;
  to: number;
  text: string;
}

/**
 * The text of a YAML document with another value, in which everything else stays as it is written: comments, quotes, order.
 *
 * @returns undefined: it cannot be edited, and has to be written anew
 */
export function editedYaml(text: string, before: Json, after: Json): string | undefined {
  let document: Document;
  try {
    document = parseDocument(text, { logLevel: 'silent' });
    const edits: Edit[] = [];
    if (document.errors.length > 0 || !collect(text, document.contents, before, after, edits))
      return undefined;
    const edited = applied(text, edits);
    // Whatever an edit was thought to do, this is what it did.
    const read = parseDocument(edited, { logLevel: 'silent' }).toJS({ maxAliasCount: 0 });
    return canonicalJson(read) === canonicalJson(after) ? edited : undefined;
  } catch {
    return undefined;
  }
}

function applied(text: string, edits: readonly Edit[]): string {
  let result = text;
  let end = text.length;
  // From the end, so that places stay; of two at one place the first comes first.
  for (const { from, to, text: own } of edits.toReversed().sort((a, b) => b.from - a.from)) {
    if (to > end) throw new Error('edits overlap');
    result = result.slice(0, from) + own + result.slice(to);
    end = from;
  }
  return result;
}

/** Adds the edits that make one value of another; false: there are none. */
function collect(text: string, node: unknown, before: Json, after: Json, edits: Edit[]): boolean {
  if (before === after || canonicalJson(before) === canonicalJson(after)) return true;
  if (isObject(before) && isObject(after)) return collectMap(text, node, [before, after], edits);
  if (Array.isArray(before) && Array.isArray(after)) {
    if (!isSeq(node) || before.length !== after.length) return false;
    return after.every((each, index) => collect(text, node.items[index], before[index] ?? null, each, edits));
  }
  if (!isScalar(node) || !node.range || node.anchor !== undefined || typeof after !== 'string') return false;
  edits.push({ from: node.range[0], to: node.range[1], text: inline(after) });
  return true;
}

function collectMap(
  text: string,
  node: unknown,
  [before, after]: readonly [JsonObject, JsonObject],
  edits: Edit[],
): boolean {
  if (!isMap(node) || node.anchor !== undefined) return false;
  const pairs = node.items.map((pair) => ({ key: keyOf(pair), at: startOf(pair), pair }));
  const wanted = Object.keys(after);
  for (const [index, { key, at, pair }] of pairs.entries()) {
    if (at === undefined) return false;
    if (key in after) {
      if (!collect(text, pair.value, before[key] ?? null, after[key] ?? null, edits)) return false;
      continue;
    }
    const next = pairs[index + 1]?.at;
    if (next === undefined) return false;
    edits.push({ from: at, to: next, text: '' });
  }
  for (const [index, key] of wanted.entries()) {
    if (key in before) continue;
    const stays = (each: string): boolean => each in before;
    const previous = pairs.find((pair) => pair.key === wanted.slice(0, index).findLast(stays));
    const next = pairs.find((pair) => pair.key === wanted.slice(index + 1).find(stays));
    const entry = `${key}: ${inline(after[key] ?? null)}`;
    const isFlow = node.flow === true;
    const end = previous && endOf(text, previous.pair, isFlow);
    const between = (at: number): string => (isFlow ? ', ' : `\n${indentAt(text, at)}`);
    if (end !== undefined && previous?.at !== undefined)
      edits.push({ from: end, to: end, text: between(previous.at) + entry });
    else if (next?.at !== undefined)
      edits.push({ from: next.at, to: next.at, text: entry + between(next.at) });
    else return false;
  }
  return true;
}

function indentAt(text: string, at: number): string {
  return ' '.repeat(at - (text.lastIndexOf('\n', at - 1) + 1));
}

function keyOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : '';
}

function startOf({ key }: Pair): number | undefined {
  return isNode(key) && !isExplicit(key) ? (key.range?.[0] ?? undefined) : undefined;
}

function isExplicit(key: Node): boolean {
  return !isScalar(key) || key.anchor !== undefined || key.tag !== undefined;
}

/** Where an entry ends, in block style with the comment on its line; undefined: its value has several lines. */
function endOf(text: string, { value }: Pair, isFlow: boolean): number | undefined {
  if (!isScalar(value) || !value.range) return undefined;
  const [from, to] = value.range;
  if (text.slice(from, to).includes('\n')) return undefined;
  if (isFlow) return to;
  const line = text.indexOf('\n', to);
  return line < 0 ? text.length : line;
}

/** A value on one line. */
function inline(value: Json): string {
  return stringify(value, { collectionStyle: 'flow', lineWidth: 0, version: '1.1' }).trimEnd();
}
