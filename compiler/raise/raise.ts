import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { raised, type Raising } from '../../semantics/kinds/raising.ts';
import { unusable } from '../../semantics/kinds/unusable.ts';
import { raisings } from '../../semantics/registry/raisings.ts';
import { kindOf } from '../../semantics/registry/registry.ts';
import { type BuiltFile, objectsOf, readTexts, rewrittenFile, type Text } from '../build/documents.ts';
import { otherReferences, withReferences } from '../build/references.ts';
import { idOfNames, type Names, namesOf, rowText } from '../build/verdict.ts';
import { checkState } from '../check-state.ts';
import { type Diagnostic, finish, hasErrors } from '../diagnostics/diagnostic.ts';
import type { CompilerHost } from '../host.ts';
import type { Budget } from '../load/budget.ts';
import { loadConfig } from '../load/configuration.ts';
import { bounded } from '../load/findings.ts';
import { ignoredPaths } from '../load/ignored-paths.ts';
import type { State } from '../load/manifests.ts';
import { editedYaml } from './edit.ts';

/** What becomes of one object of `apps`. */
export interface RaisedVerdict {
  names: Names;
  file: string;
  raising: Raising;
  /** Clauses; none: it becomes the kind of OpenKruise. */
  why: readonly string[];
}

/** Fields that name an object whose kind is another one now, and that nobody changes. */
export interface LeftReference {
  file: string;
  from: Names;
  field: string;
  to: string;
}

export interface Raised {
  /** Those that change. */
  files: BuiltFile[];
  verdicts: RaisedVerdict[];
  left: LeftReference[];
  diagnostics: Diagnostic[];
}

interface Found {
  object: JsonObject;
  names: Names;
  file: string;
}

/**
 * The objects of `apps` in a state as kinds of OpenKruise, where these are exact. References of autoscalers and budgets follow. Everything
 * else stays as it is written, comments included.
 *
 * @param namespace of objects that name none
 */
export function raiseState(
  host: CompilerHost,
  state: State,
  { namespace }: { namespace: string },
  budget: Budget,
): Raised {
  const diagnostics = checkState(host, state, false, { budget }).diagnostics.filter(
    ({ severity }) => severity === 'error',
  );
  const ignored = ignoredPaths(loadConfig(host, state.root, budget));
  const texts = readTexts(host, state, budget, diagnostics, ignored);
  const ended = (): Raised => ({
    files: [],
    verdicts: [],
    left: [],
    diagnostics: finish(bounded(diagnostics, budget), false),
  });
  if (hasErrors(diagnostics)) return ended();
  const objects = texts.flatMap((text) => objectsIn(text, namespace));
  const taken = new Map<string, number>();
  for (const { names } of objects) taken.set(idOfNames(names), (taken.get(idOfNames(names)) ?? 0) + 1);
  const results = new Map<JsonObject, JsonObject>();
  const renamed = new Map<string, { apiVersion: string; kind: string }>();
  const verdicts: RaisedVerdict[] = [];
  for (const { object, names, file } of objects) {
    const raising = raisings.find(({ from }) => names.group === 'apps' && from.kind === names.kind);
    if (raising === undefined) continue;
    const result = resultOf(raising, object as KubeObject, names, taken);
    verdicts.push({ names, file, raising, why: 'why' in result ? result.why : [] });
    if ('why' in result) continue;
    results.set(object, result.object as JsonObject);
    renamed.set(idOfNames(names), raising.to);
  }
  const renamedTo =
    ({ namespace: own }: Names) =>
    (group: string, kind: string, name: string, of = own) =>
      renamed.get(idOfNames({ group, kind, name, namespace: of }));
  const left = objects.flatMap(({ object, names, file }) =>
    otherReferences(object, { renamed: renamedTo(names), gone: () => undefined }).map((each) => ({
      file,
      from: names,
      field: each.path.join('.'),
      to: `${each.kind} ${each.name}`,
    })),
  );
  const files = texts.flatMap((text) => {
    const file = changedFile(text, diagnostics, (object) => {
      const names = namesOf(object, namespace);
      const own = results.get(object);
      return names === undefined ? undefined : (withReferences(own ?? object, renamedTo(names)) ?? own);
    });
    return file.isChanged ? [file] : [];
  });
  diagnostics.push(...budget.problems());
  return hasErrors(diagnostics)
    ? ended()
    : { files, verdicts, left, diagnostics: finish(bounded(diagnostics, budget), false) };
}

function objectsIn({ source, documents }: Text, namespace: string): Found[] {
  return documents.flatMap(({ value }) =>
    objectsOf(value).flatMap(([object]) => {
      const names = namesOf(object, namespace);
      return names === undefined ? [] : [{ object, names, file: source.file }];
    }),
  );
}

function resultOf(
  raising: Raising,
  object: KubeObject,
  names: Names,
  taken: ReadonlyMap<string, number>,
): { object: KubeObject } | { why: readonly string[] } {
  const { to } = raising;
  const target = { group: to.apiVersion.split('/')[0] ?? '', kind: to.kind };
  const type = kindOf(target);
  if (object.apiVersion !== 'apps/v1' || type === undefined) return { why: ['only apps/v1 is known'] };
  if (taken.has(idOfNames({ ...names, ...target })))
    return { why: [`a ${to.kind} of OpenKruise has its name`] };
  if ((taken.get(idOfNames(names)) ?? 0) > 1) return { why: ['two manifests have its name'] };
  const found = raised(raising, object);
  if ('stays' in found) return { why: found.stays.map(rowText) };
  const fault = unusable(type, found.object);
  return fault === undefined ? found : { why: [`${fault.path.join('.')} ${fault.rule}`] };
}

/** A file with other objects in place of some: each document is edited where that is possible, and written anew else. */
function changedFile(
  text: Text,
  diagnostics: Diagnostic[],
  change: (object: JsonObject) => JsonObject | undefined,
): BuiltFile {
  const { path, source, documents } = text;
  const isJson = path !== undefined && /\.json$/i.test(path);
  let result = source.text;
  // From the end, so that places stay.
  const edits = documents.toReversed().map(({ value, at }) => {
    const after = withItems(value as JsonObject, change);
    if (after === value) return true;
    const own = source.text.slice(at.from, at.to);
    const edited = isJson ? undefined : editedYaml(own, value, after);
    if (edited === undefined) return false;
    result = result.slice(0, at.from) + edited + result.slice(at.to);
    return true;
  });
  if (edits.every(Boolean)) return { path, text: result, isChanged: result !== source.text };
  return rewrittenFile(
    text,
    (object) => {
      const changed = change(object);
      return changed === undefined ? undefined : { objects: [changed], comment: [] };
    },
    diagnostics,
    false,
  );
}

/** The same value if nothing changes. */
function withItems(value: JsonObject, change: (object: JsonObject) => JsonObject | undefined): JsonObject {
  if (typeof value !== 'object' || value === null) return value;
  const { items } = value;
  if (!Array.isArray(items)) return change(value) ?? value;
  const changed = items.map((item) => withItems(item as JsonObject, change));
  return changed.every((item, index) => item === items[index]) ? value : { ...value, items: changed };
}
