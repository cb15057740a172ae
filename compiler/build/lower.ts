import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { kindOf } from '../../semantics/registry/registry.ts';
import { checkState } from '../check-state.ts';
import { diagnostic, finish, hasErrors } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { CompilerHost } from '../host.ts';
import { type Budget, createBudget } from '../load/budget.ts';
import { loadConfig } from '../load/configuration.ts';
import { isInside } from '../load/files.ts';
import { bounded } from '../load/findings.ts';
import { ignoredPaths } from '../load/ignored-paths.ts';
import { withGate } from '../load/gates.ts';
import { createLocator } from '../load/locate.ts';
import type { Locator } from '../load/locate.ts';
import type { State } from '../load/manifests.ts';
import { shownName } from '../plan/target.ts';
import { byText } from '../text/order.ts';
import { commentOf } from './comment.ts';
import {
  type BuiltFile,
  type Location,
  objectsOf,
  readTexts,
  type Rewritten,
  rewrittenFile,
  type Text,
  yamlOf,
} from './documents.ts';
import { gatesFor } from './gates.ts';
import type { NamedObject } from './neighbors.ts';
import { builtProtection, type ProtectedVerdict } from './protection.ts';
import { otherReferences, withReferences } from './references.ts';
import { judged } from './placed.ts';
import { idOfNames, type LoweredVerdict, namesOf, textOfNames, type Verdict, verdictOf } from './verdict.ts';

/** What a build to kinds of Kubernetes gives; the files count only if no diagnostic is an error. */
export interface BuiltPlain {
  files: BuiltFile[];
  /** Of each object of OpenKruise, in the order of the files. */
  verdicts: Verdict[];
  /** Of each object with the label of deletion protection, where no runtime comes with it. */
  protection: ProtectedVerdict[];
  /** What else was changed in templates, as sentences. */
  gates: string[];
  diagnostics: Diagnostic[];
}

interface BuildOptions {
  before: State | undefined;
  namespace: string;
  strict: boolean;
  isShown: boolean;
}

/** The kind that an object gets. */
type Built = Pick<KubeObject, 'apiVersion' | 'kind'>;

interface Placed {
  verdict: Verdict;
  where: Location;
}

/**
 * Compiles the objects of a state to kinds of Kubernetes, as far as their kinds and kruise.yaml say. Everything else stays as it is
 * written. References of autoscalers and budgets follow.
 *
 * @param before the folder that the last build has written; undefined: there is none
 * @param namespace of objects that name none
 * @param strict whether a lossy object is an error
 * @param isShown whether a terminal may show the texts: documents with unsafe characters are written anew then
 */
export function buildPlain(
  host: CompilerHost,
  state: State,
  { before, namespace, strict, isShown }: BuildOptions,
  budget: Budget,
): BuiltPlain {
  const configuration = loadConfig(host, state.root, budget);
  // Warnings are those of `kruise validate`.
  const diagnostics = checkState(host, state, false, { budget }).diagnostics.filter(
    ({ severity }) => severity === 'error',
  );
  const texts = readTexts(host, state, budget, diagnostics, ignoredPaths(configuration));
  const ended = (): BuiltPlain => ({
    files: [],
    verdicts: [],
    protection: [],
    gates: [],
    diagnostics: finish(bounded(diagnostics, budget), false),
  });
  if (hasErrors(diagnostics)) return ended();
  const others = new Map<string, string>();
  const objects = namedIn(texts, namespace);
  const earlier = before === undefined ? [] : namedIn(readTexts(host, before, createBudget(), []), namespace);
  const { verdicts, workloads } = judged(objects, earlier, (object, names, around) =>
    verdictOf(object, names, configuration.config, around),
  );
  const placed = objects.flatMap(({ object, names, where }): Placed[] => {
    others.set(idOfNames(names), textOfNames(names));
    const verdict = verdicts.get(object);
    return verdict === undefined ? [] : [{ verdict, where }];
  });
  const loweredOf = (object: JsonObject): LoweredVerdict | undefined => {
    const verdict = verdicts.get(object);
    return verdict?.verdict === 'runtime' ? undefined : verdict;
  };
  const locator = createLocator(budget);
  diagnostics.push(...problems(placed, others, strict, locator));
  const gateOf = gatesFor(objects.filter(({ object }) => loweredOf(object) === undefined));
  const gates: string[] = [];
  const renamed = new Map<string, Built>();
  const gone = new Map<string, Built>();
  for (const { verdict } of placed)
    if (verdict.verdict !== 'runtime') {
      const [one, ...more] = verdict.objects;
      if (one === undefined) {
        gone.set(idOfNames(verdict), { apiVersion: '', kind: `part of the template of ${verdict.into}` });
        continue;
      }
      const { apiVersion, kind, metadata } = one;
      // A reference names one object.
      const follows = more.length === 0 && metadata.name === verdict.name;
      if (follows) renamed.set(idOfNames(verdict), { apiVersion, kind });
      else gone.set(idOfNames(verdict), { apiVersion, kind });
    }
  // Where the source is, from the folder of kruise.yaml: the same wherever the command runs.
  const { folder } = configuration;
  const top = folder !== undefined && isInside(state.root, folder) ? folder : state.root;
  const rewrite = (object: JsonObject, path: string | undefined, where: Location): Rewritten | undefined => {
    const lowered = loweredOf(object);
    const names = namesOf(object, namespace);
    // What is compiled needs no runtime, and its pods wait for none.
    const added = lowered !== undefined || names === undefined ? undefined : gateOf(object, names);
    if (added !== undefined) gates.push(added.why);
    const workload = workloads.get(object);
    const part = workload?.object ?? object;
    const whole = added === undefined ? part : withGate(part, added.gate);
    const own = lowered === undefined ? [whole] : (lowered.objects as readonly JsonObject[]);
    const findIn =
      (built: ReadonlyMap<string, Built>) =>
      (group: string, kind: string, name: string, of = names?.namespace): Built | undefined => {
        const isClustered = kindOf({ group, kind })?.resource.namespaced === false;
        return built.get(idOfNames({ group, kind, name, namespace: isClustered ? undefined : of }));
      };
    const renamedTo = findIn(renamed);
    const referring = own.map((each) => withReferences(each, renamedTo));
    const isReferred = renamed.size > 0 || gone.size > 0;
    const finds = { renamed: renamedTo, gone: findIn(gone) };
    for (const each of isReferred ? otherReferences(object, finds) : []) {
      const { path: at, kind, name, built } = each;
      const from = names === undefined ? 'an object' : textOfNames(names);
      const position = locator(where, at, 'key');
      diagnostics.push(diagnostic('KR2243', { from, field: at, target: `${kind} ${name}`, built }, position));
    }
    if (lowered === undefined && whole === object && referring[0] === undefined) return undefined;
    const built = own.map((each, index) => referring[index] ?? each);
    // Each object is held once more as text.
    if (!built.every((each) => budget.take('builtText', yamlOf(each).length))) return undefined;
    const from = path?.slice(top === '/' ? 1 : top.length + 1) ?? where.source.file;
    return { objects: built, comment: commentOf(from, names, { lowered, added, workload }) };
  };
  const files = texts.map((text) =>
    rewrittenFile(text, (object, where) => rewrite(object, text.path, where), diagnostics, isShown),
  );
  const all = placed.map(({ verdict }) => verdict);
  const protection = builtProtection(objects, {
    root: state.root,
    isPlain: all.every(({ verdict }) => verdict !== 'runtime'),
    paths: texts.map(({ path }) => path),
    builtOf: (object) => {
      const lowered = loweredOf(object);
      return lowered === undefined ? object : (lowered.objects[0] as JsonObject | undefined);
    },
  });
  if (strict) diagnostics.push(...lostProtection(protection.verdicts, objects, locator));
  diagnostics.push(...budget.problems());
  if (hasErrors(diagnostics)) return ended();
  if (protection.file !== undefined) files.push(protection.file);
  return {
    files,
    verdicts: all,
    protection: protection.verdicts,
    gates: gates.sort(byText),
    diagnostics: finish(bounded(diagnostics, budget), false),
  };
}

function namedIn(texts: readonly Text[], namespace: string): (NamedObject & { where: Location })[] {
  return texts.flatMap(({ source, documents }) =>
    documents.flatMap(({ value, at }) =>
      objectsOf(value).flatMap(([object, path]) => {
        const names = namesOf(object, namespace);
        return names === undefined ? [] : [{ object, names, where: { source, at, path } }];
      }),
    ),
  );
}

function problems(
  placed: readonly Placed[],
  others: ReadonlyMap<string, string>,
  strict: boolean,
  locator: Locator,
): Diagnostic[] {
  const builtOf = new Map<string, string>();
  return placed.flatMap(({ verdict, where }) => {
    const target = textOfNames(verdict);
    const position = (): Diagnostic['position'] => locator(where, ['kind'], 'value');
    if (verdict.verdict === 'runtime') {
      if (!verdict.chosen) return [];
      const found = diagnostic('KR2241', { target, why: verdict.why.join('; ') }, position());
      return [strict ? { ...found, severity: 'error' as const } : found];
    }
    const { objects, losses } = verdict;
    const to = objects[0]?.kind ?? '';
    const taken = objects.flatMap(({ apiVersion, kind, metadata: { name, namespace } }) => {
      const [group = ''] = apiVersion.split('/');
      const id = idOfNames({ group, kind, name, namespace: namespace ?? verdict.namespace });
      const other = others.get(id) ?? builtOf.get(id);
      builtOf.set(id, target);
      // Where several are built, it says which of them.
      const which = objects.length === 1 ? '' : ` ${shownName({ namespace, name })}`;
      return other === undefined ? [] : [{ built: `${kind}${which} of ${apiVersion}`, other }];
    });
    return [
      ...(strict && losses.length > 0
        ? [diagnostic('KR2240', { target, to, losses: losses.map(({ what }) => what) }, position())]
        : []),
      ...taken.slice(0, 1).map((each) => diagnostic('KR2242', { target, ...each }, position())),
    ];
  });
}

/** What the policy of deletion protection does not do is lossy, too. */
function lostProtection(
  verdicts: readonly ProtectedVerdict[],
  objects: readonly { object: JsonObject; where: Location }[],
  locator: Locator,
): Diagnostic[] {
  const places = new Map(objects.map(({ object, where }) => [object, where]));
  return verdicts.flatMap(({ names, object, losses: lost }) => {
    const where = places.get(object);
    if (lost.length === 0 || where === undefined) return [];
    const losses = lost.map(({ what }) => what);
    const parts = { target: textOfNames(names), to: 'ValidatingAdmissionPolicy', losses };
    return [diagnostic('KR2240', parts, locator(where, ['metadata', 'labels'], 'key'))];
  });
}
