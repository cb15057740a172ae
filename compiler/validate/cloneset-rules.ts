import { invalidCloneSetFields, labelsOf, selectorMismatch } from '../../semantics/cloneset/invalid.ts';
import { unsupportedCloneSetFields } from '../../semantics/cloneset/unsupported.ts';
import { normalizeCloneSet, type NormalCloneSet } from '../../semantics/cloneset/normalize.ts';
import { groupKindOf } from '../../semantics/owner.ts';
import { formatSelector } from '../../semantics/values/selector.ts';
import { scaleIntOrPercent } from '../../semantics/values/int-or-percent.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { ownPolicy, POLICY_ANNOTATION } from '../../semantics/plan/policy.ts';
import { suggest } from '../text/suggest.ts';
import { claimTemplateRules } from './claim-template-rules.ts';
import { schemaOf, versionsOf } from './known-fields.ts';
import type { Locate } from './schema-errors.ts';
import { formatPath, valueAt } from './schema-errors.ts';
import type { Sound } from './sound.ts';
import { strategyRules } from './strategy-rules.ts';

/** Where a field of the strategy stands in this manifest: under rollingUpdate if it is written there. */
export function strategyPath(object: KubeObject, field: string): string[] {
  const rolling = ['spec', 'updateStrategy', 'rollingUpdate', field];
  return valueAt(object, rolling) === undefined ? ['spec', 'updateStrategy', field] : rolling;
}

/**
 * What OpenKruise's admission checks and a schema cannot say (OpenKruise cloneset, section 7). A rule that asks of a field
 * which does not fit the schema is left out.
 */
export function cloneSetRules({ object, isFaulty }: Sound, locate: Locate): Diagnostic[] {
  const normal = normalizeCloneSet(object);
  const isSound = (...fields: string[]): boolean => !fields.some((field) => isFaulty('spec', field));
  const selects = isSound('selector') && !isFaulty('spec', 'template', 'metadata');
  const paces = isSound('updateStrategy', 'replicas');
  return [
    ...(selects ? selectorRules(normal, locate) : []),
    ...(paces ? budgetRules(object, normal, locate) : []),
    ...(isSound('progressDeadlineSeconds', 'minReadySeconds') ? deadlineRules(normal, locate) : []),
    ...(isSound('updateStrategy') ? strategyRules(object, locate) : []),
    ...(isSound('volumeClaimTemplates', 'template') ? claimTemplateRules(normal, locate) : []),
    ...(isSound('scaleStrategy') ? podsToDeleteRules(normal, locate) : []),
    ...versionRules(object, locate),
    ...(isFaulty('metadata', 'annotations') ? [] : policyRules(object, locate)),
  ];
}

/** The fields whose rules are valid but not executed by this version. */
export function unsupportedRules(object: KubeObject, locate: Locate): Diagnostic[] {
  return unsupportedCloneSetFields(object).map(({ path, what }) =>
    diagnostic('KR2114', { field: formatPath(path), effect: what }, locate(path, 'key')),
  );
}

function selectorRules(normal: NormalCloneSet, locate: Locate): Diagnostic[] {
  const mismatch = selectorMismatch(normal.selector, labelsOf(normal.template));
  return invalidCloneSetFields(normal).flatMap(({ path, rule }) => {
    // What is wrong with the template has codes of its own.
    if (path[1] !== 'selector') return [];
    if (path.length > 2) {
      return [diagnostic('KR2005', { field: formatPath(path), rule }, locate(path, 'value'))];
    }
    if (formatSelector(normal.selector) === '' || mismatch === undefined)
      return [diagnostic('KR2005', { field: formatPath(path), rule }, locate(path, 'key'))];
    const { label, difference } = mismatch;
    const place = label === undefined ? path : [...path, 'matchLabels', label];
    return [diagnostic('KR2101', { label: difference }, locate(place, 'value'))];
  });
}

function budgetRules(object: KubeObject, normal: NormalCloneSet, locate: Locate): Diagnostic[] {
  const found: Diagnostic[] = [];
  const { maxUnavailable, maxSurge, replicas } = normal;
  const surge = scaleIntOrPercent(maxSurge, replicas, 'up');
  const unavailable = scaleIntOrPercent(maxUnavailable, replicas, surge === 0 ? 'up' : 'down');
  if (replicas > 0 && normal.type === 'RollingUpdate' && surge < 1 && unavailable < 1) {
    const args = { maxUnavailable: String(maxUnavailable), maxSurge: String(maxSurge), replicas };
    found.push(diagnostic('KR2103', args, locate(strategyPath(object, 'maxUnavailable'), 'value')));
  }
  if (normal.policy === 'InPlaceOnly' && surge > 0) {
    found.push(diagnostic('KR2115', {}, locate(strategyPath(object, 'maxSurge'), 'key')));
  }
  return found;
}

function deadlineRules(normal: NormalCloneSet, locate: Locate): Diagnostic[] {
  const { progressDeadlineSeconds: deadline, minReadySeconds: ready } = normal;
  if (deadline === undefined || deadline > ready) return [];
  return [diagnostic('KR2116', { deadline, ready }, locate(['spec', 'progressDeadlineSeconds'], 'value'))];
}

function podsToDeleteRules(normal: NormalCloneSet, locate: Locate): Diagnostic[] {
  const named = new Set<string>();
  return normal.podsToDelete.flatMap((pod, index) => {
    const isNamed = named.has(pod);
    named.add(pod);
    return isNamed
      ? [
          diagnostic(
            'KR2111',
            { pod },
            locate(['spec', 'scaleStrategy', 'podsToDelete', String(index)], 'value'),
          ),
        ]
      : [];
  });
}

function policyRules(object: KubeObject, locate: Locate): Diagnostic[] {
  const value = ownPolicy(object);
  if (value === undefined || value === 'Required' || value === 'Auto') return [];
  const place = locate(['metadata', 'annotations', POLICY_ANNOTATION], 'value');
  return [diagnostic('KR2122', { value, suggestion: suggest(value, ['Required', 'Auto']) }, place)];
}

const TYPE_VERSIONS: Record<string, string> = {
  ReCreate: 'v1alpha1',
  InPlaceIfPossible: 'v1alpha1',
  InPlaceOnly: 'v1alpha1',
  RollingUpdate: 'v1beta1',
  OnDelete: 'v1beta1',
};

function versionRules(object: KubeObject, locate: Locate): Diagnostic[] {
  const version = object.apiVersion.split('/')[1] ?? '';
  const found: Diagnostic[] = [];
  for (const parent of ['scaleStrategy', 'updateStrategy']) {
    const fields = valueAt(object, ['spec', parent]);
    if (typeof fields !== 'object' || fields === null) continue;
    for (const field of Object.keys(fields)) {
      const path = ['spec', parent, field];
      const versions = versionsOf(schemaOf(groupKindOf(object)).definition, path);
      if (versions === undefined || versions.includes(version)) continue;
      const args = { field: formatPath(path), versions: versions.join(', '), apiVersion: version };
      found.push(diagnostic('KR2112', args, locate(path, 'key')));
    }
  }
  const typePath = ['spec', 'updateStrategy', 'type'];
  const type = valueAt(object, typePath);
  const owner = typeof type === 'string' ? TYPE_VERSIONS[type] : undefined;
  if (owner !== undefined && owner !== version) {
    const args = { value: String(type), versions: owner, apiVersion: version };
    found.push(diagnostic('KR2118', args, locate(typePath, 'value')));
  }
  return found;
}
