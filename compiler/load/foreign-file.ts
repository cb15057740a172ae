import { isMap } from 'yaml';
import type { Document } from 'yaml';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic, Source } from '../diagnostics/diagnostic.ts';
import type { Json } from '../../schemas/wire/json.ts';
import { contentHash } from '../../semantics/values/canonical-json.ts';
import type { Budget } from './budget.ts';
import { isObject } from './identity.ts';
import type { Loading } from './identify.ts';
import { eachDocument } from './parse.ts';
import { withinBudget } from './read.ts';
import { readSimple } from './simple-yaml.ts';

/** The markers of templates: Helm and similar tools, Jinja, ERB. */
const TEMPLATE = /\{\{|\{%|<%/;

/**
 * Diagnostics of a file that does not name the group, so it contains no object of OpenKruise. If it is not valid YAML, the
 * name may be lost in the damage. A template, or JSON with comments as some tools write it, only gets a warning.
 */
export function foreignFile(
  source: Source,
  { cache, budget, foreign }: Pick<Loading, 'cache' | 'budget' | 'foreign'>,
): Diagnostic[] {
  const isJson = /\.json$/i.test(source.file);
  const hash = contentHash(source.text);
  foreign.set(source.file, hash);
  if (cache.foreignFiles.has(hash)) return [];
  cache.foreignFiles.add(hash);
  if (isJson && isPlainJson(source.text)) return [];
  if (!isJson && isPlainYaml(source, budget)) return [];
  const withoutType: Diagnostic[] = [];
  const diagnostics = eachDocument(source, budget, (document, { from }) =>
    withoutType.push(...withoutTypeIn(document, source, from)),
  );
  const limit = diagnostics.filter(({ code }) => code === 'KR1035' || code === 'KR1036');
  if (limit.length > 0) return limit;
  const broken = diagnostics.filter(({ code }) => code === 'KR1004' || code === 'KR1011');
  const [first] = broken;
  if (first === undefined) return withoutType;
  const template = TEMPLATE.test(source.text);
  if (template || isJson) return [diagnostic('KR1022', { template }, first.position)];
  const problems = broken.map(({ message, position }) =>
    diagnostic('KR1026', { problem: message }, position),
  );
  return [...problems, ...withoutType];
}

/** Larger JSON is not parsed, because its values would take too much memory only to be discarded. */
const MOST_JSON = 4 * 1024 * 1024;

/** Whether the text is JSON in which nothing looks like a workload. Such files are frequent and large, and JSON.parse is fast. */
function isPlainJson(text: string): boolean {
  if (text.length > MOST_JSON || text.includes('"template"')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether it is simple YAML in which every document has an apiVersion or a kind. */
function isPlainYaml(source: Source, budget: Budget): boolean {
  const lacksType = (value: Json): boolean =>
    !isObject(value) || (value['kind'] === undefined && value['apiVersion'] === undefined);
  const simple = readSimple(source.text, budget.limits, lacksType);
  if (simple === undefined || simple.documents.some(({ value }) => value !== null)) return false;
  return withinBudget(budget, simple);
}

/** Reports a document with the structure of a workload, but without apiVersion and kind. */
function withoutTypeIn({ contents }: Document, source: Source, from: number): Diagnostic[] {
  if (!isMap(contents) || contents.has('kind') || contents.has('apiVersion')) return [];
  if (!contents.has('metadata') || !contents.hasIn(['spec', 'template'])) return [];
  const start = contents.range?.[0] ?? from;
  return [diagnostic('KR1027', {}, { source, start, end: start + 1 })];
}
