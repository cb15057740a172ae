import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../../semantics/fields/problems.ts';
import type { GitField, GitManifest } from '../../semantics/kinds/git-side.ts';
import { ownedPods, rolloutSize, subsetsOf, updatesOf } from '../../semantics/kinds/git-units.ts';
import type { Kind, PlannedKind } from '../../semantics/kinds/kind.ts';
import { ownPolicy, POLICY_ANNOTATION } from '../../semantics/policy.ts';
import { formatSelector } from '../../semantics/values/selector.ts';
import { labelsOf, selectorMismatch } from '../../semantics/values/selector-mismatch.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { limitsOfOwn } from '../forecast/window.ts';
import { suggest } from '../text/suggest.ts';
import { claimTemplateRules } from './claim-template-rules.ts';
import { fieldsOfOtherVersions, schemaOf } from './known-fields.ts';
import { launchRules } from './launch-rules.ts';
import { lifecycleRules } from './lifecycle-rules.ts';
import { runRules } from './run-rules.ts';
import type { Locate } from './schema-errors.ts';
import { emptyHelp, formatPath, valueAt } from './schema-errors.ts';
import type { ValidPart } from './valid-part.ts';

/** A manifest of one kind, without the values that do not fit its schema. */
interface CheckedManifest extends ValidPart {
  kind: PlannedKind;
  normal: GitManifest;
  /** The path of a field, even if the manifest does not have it. */
  pathOf(field: GitField): string[];
  locate: Locate;
}

/**
 * The checks of OpenKruise's admission that a schema cannot express. Skips a rule if a field that it needs does not fit the
 * schema.
 *
 * @param nodes how many nodes kruise.yaml assumes; undefined: it does not say
 */
export function workloadRules(
  kind: PlannedKind,
  sound: ValidPart,
  nodes: number | undefined,
  locate: Locate,
): Diagnostic[] {
  const { object, isFaulty } = sound;
  const pathOf = (field: GitField): string[] => kind.git.fieldPath(object, field);
  const checked: CheckedManifest = { ...sound, kind, normal: kind.git.read(object), pathOf, locate };
  const isSound = (...fields: GitField[]): boolean =>
    !fields.some((field) => isFaulty(...pathOf(field).slice(0, 2)));
  return [
    ...invalidRules(checked),
    ...(isSound('maxUnavailable', 'replicas') ? budgetRules(checked) : []),
    ...(isSound('progressDeadlineSeconds', 'minReadySeconds') ? deadlineRules(checked) : []),
    ...kind.git
      .lint(object, nodes)
      .filter(({ path }) => !isFaulty(...path.slice(0, 2)))
      .map((fault) => lintFault(fault, locate)),
    ...(isSound('volumeClaimTemplates', 'template') ? claimRules(checked) : []),
    ...(isSound('podsToDelete') ? podsToDeleteRules(checked) : []),
    ...(isSound('template', 'selector', 'lifecycle')
      ? lifecycleRules(checked.normal, pathOf('lifecycle'), locate)
      : []),
    ...(isSound('template')
      ? launchRules(
          { template: checked.normal.template, ends: checked.normal.units.of === 'run' },
          pathOf('template'),
          locate,
        )
      : []),
    ...versionRules(kind, object, locate),
    ...(checked.normal.units.of === 'run' ? runRules(checked.normal.units.run, locate) : []),
    ...(isFaulty('metadata', 'annotations') ? [] : policyRules(checked)),
  ];
}

/** Reports the fields that are valid but not executed by this version, with the code for a changed object or another one. */
export function unsupportedRules(
  kind: Kind,
  object: KubeObject,
  locate: Locate,
  code: 'KR2114' | 'KR2136',
): Diagnostic[] {
  return kind
    .unsupported(object)
    .map(({ path, what }) =>
      diagnostic(code, { field: formatPath(path), effect: what }, locate(path, 'key')),
    );
}

/** The parts of metadata that may have reserved keys, which only a controller may write. */
const KEYED: readonly string[] = ['labels', 'annotations', 'finalizers'];

/**
 * Reports each field for which the runtime would hold the target as InvalidTarget. Some have their own codes; the others
 * are KR2005.
 */
function invalidRules({ kind, object, isFaulty, normal, pathOf, locate }: CheckedManifest): Diagnostic[] {
  const [selector, template] = [pathOf('selector'), pathOf('template')];
  return kind.validate(object).flatMap((fault) => {
    const { path } = fault;
    if (isFaulty(...path)) return [];
    if (isBelow(path, selector)) {
      return isFaulty(...selector) || isFaulty(...template, 'metadata')
        ? []
        : [selectorFault(fault, selector, normal, locate)];
    }
    // reservedKeyRules reports these with a diagnostic for each key.
    if (path.at(-2) === 'metadata' && KEYED.includes(path.at(-1) ?? '')) return [];
    // Pods of a run end, so that the rules about those of other kinds do not apply.
    if (rolloutSize(normal.units) === undefined) return [plainFault(fault, locate, object)];
    switch (isBelow(path, template) ? path.slice(template.length).join('.') : '') {
      case 'spec.restartPolicy': {
        const args = { kind: kind.id.kind, value: String(valueAt(object, path)) };
        return [diagnostic('KR2105', args, locate(path, 'value'))];
      }
      case 'spec.activeDeadlineSeconds':
        return [diagnostic('KR2106', { kind: kind.id.kind }, locate(path, 'key'))];
      default:
        return [plainFault(fault, locate, object)];
    }
  });
}

function selectorFault(
  fault: InvalidField,
  selector: readonly string[],
  normal: GitManifest,
  locate: Locate,
): Diagnostic {
  const { path, rule } = fault;
  if (path.length > selector.length) return plainFault(fault, locate);
  const wanted = ownedPods(normal.units)?.selector ?? {};
  const mismatch = selectorMismatch(wanted, labelsOf(normal.template));
  if (formatSelector(wanted) === '' || mismatch === undefined)
    return diagnostic('KR2005', { field: formatPath(path), rule }, locate(path, 'key'));
  const { label, difference } = mismatch;
  const position = label === undefined ? path : [...path, 'matchLabels', label];
  return diagnostic('KR2101', { label: difference }, locate(position, 'value'));
}

function lintFault(fault: InvalidField, locate: Locate): Diagnostic {
  if (fault.isAssumed !== true) return plainFault(fault, locate);
  const { path, rule, at } = fault;
  return diagnostic('KR2125', { field: formatPath(path), rule }, locate(path, at ?? 'value'));
}

/** @param object the manifest. Default: the value is not looked at */
export function plainFault(fault: InvalidField, locate: Locate, object?: unknown): Diagnostic {
  const { path, rule, at } = fault;
  if (fault.isSplit === true)
    return diagnostic(
      'KR2244',
      { field: formatPath(path), rule, help: fault.help },
      locate(path, at ?? 'value'),
    );
  const help = emptyHelp(valueAt(object, path));
  return diagnostic('KR2005', { field: formatPath(path), rule, help }, locate(path, at ?? 'value'));
}

function isBelow(path: readonly string[], above: readonly string[]): boolean {
  return above.every((key, index) => path[index] === key);
}

/** Whether a value is a percentage that is not 0% itself. */
function isPercent(value: unknown): boolean {
  return typeof value === 'string' && /[1-9]/.test(value);
}

function budgetRules({ kind, object, normal, pathOf, locate }: CheckedManifest): Diagnostic[] {
  const found: Diagnostic[] = [];
  const [own, replicas] = [updatesOf(normal.units), rolloutSize(normal.units)];
  if (own === undefined || replicas === undefined) return found;
  const { maxSurge, maxUnavailable } = limitsOfOwn({ normal, limits: kind.limits }, replicas);
  if (replicas > 0 && !own.onDelete && maxSurge < 1 && maxUnavailable < 1) {
    const args = {
      maxUnavailable: String(own.maxUnavailable),
      maxSurge: String(own.maxSurge ?? 0),
      replicas,
    };
    found.push(diagnostic('KR2103', args, locate(pathOf('maxUnavailable'), 'value')));
  } else if (
    replicas > 0 &&
    !own.onDelete &&
    maxUnavailable < 1 &&
    isPercent(valueAt(object, pathOf('maxUnavailable')))
  ) {
    const args = {
      field: 'maxUnavailable',
      value: String(own.maxUnavailable),
      // Of zones, in which it is 0, the largest one says it best.
      replicas: Math.max(...(subsetsOf(normal.units)?.map(({ n }) => n) ?? [replicas])),
      rule: /^\d+%$/.test(String(own.maxUnavailable))
        ? 'it rounds down because maxSurge is set'
        : 'only whole percentages count',
    };
    found.push(diagnostic('KR2161', args, locate(pathOf('maxUnavailable'), 'value')));
  }
  if (own.policy === 'InPlaceOnly' && maxSurge > 0) {
    found.push(diagnostic('KR2115', {}, locate(pathOf('maxSurge'), 'key')));
  }
  return found;
}

function deadlineRules({ normal, pathOf, locate }: CheckedManifest): Diagnostic[] {
  const { progressDeadlineSeconds: deadline, minReadySeconds: ready = 0 } = ownedPods(normal.units) ?? {};
  if (deadline === undefined || deadline > ready) return [];
  return [diagnostic('KR2116', { deadline, ready }, locate(pathOf('progressDeadlineSeconds'), 'value'))];
}

function claimRules({ normal, pathOf, locate }: CheckedManifest): Diagnostic[] {
  const at = { claims: pathOf('volumeClaimTemplates'), pod: [...pathOf('template'), 'spec'] };
  return claimTemplateRules(normal, at, locate);
}

function podsToDeleteRules({ normal, pathOf, locate }: CheckedManifest): Diagnostic[] {
  const named = new Set<string>();
  const { podsToDelete = [] } = ownedPods(normal.units) ?? {};
  return podsToDelete.flatMap((pod, index) => {
    const isNamed = named.has(pod);
    named.add(pod);
    if (!isNamed) return [];
    return [diagnostic('KR2111', { pod }, locate([...pathOf('podsToDelete'), String(index)], 'value'))];
  });
}

function policyRules({ object, locate }: CheckedManifest): Diagnostic[] {
  const value = ownPolicy(object);
  if (value === undefined || value === 'Required' || value === 'Auto') return [];
  const position = locate(['metadata', 'annotations', POLICY_ANNOTATION], 'value');
  return [diagnostic('KR2122', { value, suggestion: suggest(value, ['Required', 'Auto']) }, position)];
}

/** Reports fields and values that the API version of the manifest does not have. */
export function versionRules(kind: Kind, object: KubeObject, locate: Locate): Diagnostic[] {
  const apiVersion = object.apiVersion.split('/')[1] ?? '';
  if (!kind.versions.includes(apiVersion)) return [];
  return fieldsOfOtherVersions(schemaOf(kind.id).definition, object, apiVersion).map(
    ({ path, versions, value }) => {
      const shown = versions.join(', ');
      return value === undefined
        ? diagnostic('KR2112', { field: formatPath(path), versions: shown, apiVersion }, locate(path, 'key'))
        : diagnostic('KR2118', { value, versions: shown, apiVersion }, locate(path, 'value'));
    },
  );
}
