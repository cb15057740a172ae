import { diagnostic, withoutEarlierErrors } from '../diagnostics/diagnostic.ts';
import type { Diagnostic, SourcePosition } from '../diagnostics/diagnostic.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { kindOf, rulesFor } from '../../semantics/registry/registry.ts';
import { isLabel, isName } from '../text/names.ts';
import { byText } from '../text/order.ts';
import type { Budget } from './budget.ts';
import type { DisruptionBudget } from './disruption-budget.ts';
import type { Findings } from './findings.ts';
import { groupOf, isObject, isSupportedKind } from './identity.ts';
import { type InjectorManifest, injectorManifest } from './injector-manifest.ts';
import type { Locator, Origin } from './locate.ts';
import type { ParseCache } from './parse-cache.ts';
import { tupleId } from '../../semantics/owner.ts';
import type { Manifest, ManifestOf, StandingManifest } from './manifest.ts';

/** The state of loading, shared by all files. */
export interface Loading {
  cache: ParseCache;
  budget: Budget;
  locate: Locator;
  manifests: Map<string, Manifest>;
  checkedOnly: Manifest[];
  standing: Map<string, StandingManifest>;
  standingCheckedOnly: StandingManifest[];
  ignored: Map<string, number>;
  disruptionBudgets: DisruptionBudget[];
  injectors: InjectorManifest[];
  /** The hashes of files that do not name a group of OpenKruise, by file as shown. */
  foreign: Map<string, string>;
  /** The number of objects declared twice so far. */
  twice: number;
  /** The repository of its own that a file, as shown, is in. */
  nestedIn: (file: string) => string | undefined;
}

/**
 * Further duplicates are reported without the position of the first declaration: finding it may require parsing another
 * document each time.
 */
const MOST_RELATED = 20;

/**
 * Finds out which object a value is. Everything about it but its name and version is validated later.
 *
 * @param isAsWritten false if its group or kind was corrected: it is not planned
 */
export function identify(
  value: JsonObject,
  origin: Origin,
  isAsWritten: boolean,
  loading: Loading,
  findings: Findings,
): void {
  const { ignored, locate, budget } = loading;
  const kind = value['kind'];
  if (typeof kind !== 'string' || !isSupportedKind(value)) return;
  const group = groupOf(value);
  const type = kindOf({ group, kind });
  const injector = isAsWritten ? injectorManifest(value, origin) : undefined;
  if (type === undefined) {
    if (isAsWritten) ignored.set(kind, (ignored.get(kind) ?? 0) + 1);
    if (injector !== undefined && budget.take('objects', 1)) loading.injectors.push(injector);
    return;
  }
  if (injector !== undefined) loading.injectors.push(injector);
  let isPlanned = isAsWritten;
  const { apiVersion } = value;
  if (typeof apiVersion !== 'string') return;
  if (isAsWritten && !type.versions.some((version) => apiVersion === `${group}/${version}`)) {
    const known = type.versions
      .map((version) => `${group}/${version}`)
      .sort(byText)
      .join(' or ');
    const position = () => locate(origin, ['apiVersion'], 'value');
    findings.add('error', () => diagnostic('KR1019', { apiVersion, kind, known }, position()));
    isPlanned = false;
  }
  const metadata = isObject(value['metadata']) ? value['metadata'] : {};
  const name = typeof metadata['name'] === 'string' ? metadata['name'] : '';
  if (name === '') {
    const isOther = typeof (metadata['name'] ?? '') !== 'string';
    const report = (): Diagnostic =>
      diagnostic('KR1018', { kind, isOther }, locate(origin, ['metadata', 'name'], 'value'));
    // A name that YAML 1.1 reads as another value has its own error.
    const ambiguous = isOther ? findings.retained().filter(({ code }) => code === 'KR1006') : [];
    if (ambiguous.length === 0 || withoutEarlierErrors(ambiguous)([report()]).length > 0)
      findings.add('error', report);
    isPlanned = false;
  }
  const { namespaced } = type.resource;
  const namespace =
    namespaced && typeof metadata['namespace'] === 'string' ? metadata['namespace'] : undefined;
  for (const [field, text, fits] of [
    ['name', name, isName],
    ['namespace', namespace ?? 'default', isLabel],
  ] as const) {
    // KR1018 reports a missing name.
    if ((field === 'name' && name === '') || fits(text)) continue;
    const position = () => locate(origin, ['metadata', field], 'value');
    findings.add('error', () =>
      diagnostic('KR1021', { field: `metadata.${field}`, value: text }, position()),
    );
    isPlanned = false;
  }
  const id = tupleId({ group, kind }, namespace, name);
  // The envelope was checked just above; everything else is validated against the schema.
  const object = (value['metadata'] === metadata ? value : { ...value, metadata }) as unknown as KubeObject;
  const found = { id, kind, namespace, name, object, origin };
  const rules = rulesFor(type, object);
  // The next caller of budget.problems reports the limit.
  if (!budget.take('objects', 1)) return;
  if (rules.shape === 'Standing') {
    const of = { all: loading.standing, checkedOnly: loading.standingCheckedOnly };
    file({ ...found, type: rules }, of, isPlanned, loading, findings);
  } else {
    const of = { all: loading.manifests, checkedOnly: loading.checkedOnly };
    file({ ...found, type: rules }, of, isPlanned, loading, findings);
  }
}

/** Files a manifest among those of its sort; of an object that is declared twice, the first counts. */
function file<Of extends Kind>(
  manifest: ManifestOf<Of>,
  { all, checkedOnly }: { all: Map<string, ManifestOf<Of>>; checkedOnly: ManifestOf<Of>[] },
  isSound: boolean,
  loading: Loading,
  findings: Findings,
): void {
  const { locate } = loading;
  const { id, kind, namespace, name, origin } = manifest;
  if (!isSound) {
    checkedOnly.push(manifest);
    return;
  }
  const first = all.get(id);
  if (first !== undefined) {
    loading.twice += 1;
    const nameOf = (at: Origin): SourcePosition => locate(at, ['metadata', 'name'], 'value');
    findings.add('error', () => {
      const isShown = loading.twice <= MOST_RELATED;
      const related = isShown ? [{ message: 'first here', position: nameOf(first.origin) }] : [];
      const shown = namespace === undefined ? name : `${namespace}/${name}`;
      const nested = loading.nestedIn(origin.source.file) ?? loading.nestedIn(first.origin.source.file);
      return diagnostic('KR1016', { kind, name: shown, nested }, nameOf(origin), related);
    });
    return;
  }
  all.set(id, manifest);
}
