import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { remembered } from '../../semantics/values/remembered.ts';
import { withoutTrailing } from '../../semantics/values/text.ts';
import { hasUnsafe } from '../../semantics/values/unsafe-text.ts';
import type { Diagnostic, Source } from '../diagnostics/diagnostic.ts';
import type { CompilerHost } from '../host.ts';
import type { Budget } from '../load/budget.ts';
import { findFiles } from '../load/files.ts';
import { isObject } from '../load/identity.ts';
import type { IgnoredPaths } from '../load/ignored-paths.ts';
import type { State } from '../load/manifests.ts';
import { type PlainDocument, readGiven, readSource, readYaml } from '../load/read.ts';
import { toYaml } from '../render/yaml.ts';
import { forJson } from '../text/escape.ts';
import { byText } from '../text/order.ts';

/** One file of a build. */
export interface BuiltFile {
  /** Absolute; undefined for a text from elsewhere. */
  path: string | undefined;
  text: string;
  isChanged: boolean;
}

/** A file of the input, with its documents. */
export interface Text {
  path: string | undefined;
  source: Source;
  documents: readonly PlainDocument[];
}

/** Where an object is. */
export interface Location {
  source: Source;
  at: PlainDocument['at'];
  /** Within its document: an item of a List. */
  path: readonly string[];
}

/** What becomes of an object. */
export interface Rewritten {
  /** None: its comment alone is left of it. */
  objects: readonly JsonObject[];
  /** Lines of a comment before its document, without the mark. */
  comment: readonly string[];
}

/** The files of a state, by their paths, and texts from elsewhere after them. */
export function readTexts(
  host: CompilerHost,
  state: State,
  budget: Budget,
  diagnostics: Diagnostic[],
  ignored?: IgnoredPaths,
): Text[] {
  const paths = new Set<string>();
  const selection = { skip: state.plans, ...(ignored && { ignores: ignored.has }) };
  for (const start of state.paths)
    for (const { path } of findFiles(host, state.root, start, selection, budget).files) paths.add(path);
  return [...[...paths].sort(byText), ...(state.given ?? [])].flatMap((each) => {
    const isPath = typeof each === 'string';
    const { source } = isPath ? readSource(host, each, budget) : readGiven(each, budget);
    if (source === undefined) return [];
    const read = readYaml(source, budget);
    // A document that is not copied would be missing.
    const known = new Set(diagnostics.map(placeOf));
    diagnostics.push(...read.diagnostics.filter((one) => !known.has(placeOf(one))));
    return [{ path: isPath ? each : undefined, source, documents: read.documents }];
  });
}

function placeOf({ position }: Diagnostic): string {
  return `${position?.source.file} ${position?.start}`;
}

/** The object of a document, or those of a List, with their paths in it. */
export function objectsOf(value: Json, path: readonly string[] = []): [JsonObject, readonly string[]][] {
  if (!isObject(value)) return [];
  const { items } = value;
  if (!Array.isArray(items)) return [[value, path]];
  return items.flatMap((item, index) => objectsOf(item, [...path, 'items', String(index)]));
}

/**
 * A file with other objects in place of some. Documents without such an object stay as they are written, comments included.
 *
 * @param rewrite undefined: the object stays
 * @param diagnostics gets those about documents that are written anew, which must not have been misread
 * @param isShown whether a terminal may show the text: documents with unsafe characters are written anew then
 */
export function rewrittenFile(
  { path, source, documents }: Text,
  rewrite: (object: JsonObject, where: Location) => Rewritten | undefined,
  diagnostics: Diagnostic[],
  isShown: boolean,
): BuiltFile {
  const built = documents.map(({ value, at, findings }) => {
    const comment: string[] = [];
    const inPlace = (object: JsonObject, within: readonly string[]): readonly JsonObject[] => {
      const { items } = object;
      if (Array.isArray(items)) {
        const changed = items.flatMap((item, index): Json[] =>
          isObject(item) ? [...inPlace(item, [...within, 'items', String(index)])] : [item],
        );
        const isSame =
          changed.length === items.length && changed.every((item, index) => item === items[index]);
        return [isSame ? object : { ...object, items: changed }];
      }
      const found = rewrite(object, { source, at, path: within });
      if (found === undefined) return [object];
      comment.push(...found.comment);
      return found.objects;
    };
    const changed = isObject(value) ? inPlace(value, []) : [value];
    const isAnew =
      changed.length !== 1 ||
      changed[0] !== value ||
      (isShown && hasUnsafe(source.text.slice(at.from, at.to)));
    if (isAnew) diagnostics.push(...findings.list());
    return { at, values: changed, isAnew, comment };
  });
  const isWhole = isShown && hasUnsafe(source.text);
  if (!isWhole && built.every(({ isAnew }) => !isAnew)) return { path, text: source.text, isChanged: false };
  // A terminal gets one stream of all files, which is YAML.
  const isJson = !isShown && path !== undefined && /\.json$/i.test(path);
  const text = built
    .map(({ values, isAnew, at, comment }) =>
      isAnew
        ? anew(values, comment, isJson)
        : asWritten(source.text.slice(at.from, at.to), values[0] ?? null),
    )
    .filter((each) => each !== '')
    .join('---\n');
  return { path, text, isChanged: true };
}

/** The YAML of an object, which is written once: it is counted before it is used. */
export const yamlOf = remembered(toYaml);

/** The text of objects that are not written as they were, below their comment, which JSON has not; none of what is no object. */
function anew(values: readonly Json[], comment: readonly string[], isJson: boolean): string {
  const objects = values.filter(isObject);
  const [first, ...more] = objects;
  if (first === undefined && comment.length === 0) return '';
  // A file of JSON holds one value.
  if (isJson)
    return forJson(
      first === undefined || more.length > 0 ? { apiVersion: 'v1', kind: 'List', items: objects } : first,
    );
  const head = comment.map((line) => `# ${line}\n`).join('');
  if (first === undefined) return head;
  return objects.map((object) => `${head}${yamlOf(object)}`).join('---\n');
}

/** The text of a document that did not change, without the line that starts it. */
function asWritten(text: string, value: Json): string {
  const bare = text.replace(/^\s*---[^\S\n]*\n/, '').replace(/\n\.\.\.\s*$/, '\n');
  // A comment before that line would end up in the document before.
  if (/^---/m.test(bare)) return isObject(value) ? toYaml(value) : '';
  return bare.trim() === '' ? '' : `${withoutTrailing(bare, '\n')}\n`;
}
