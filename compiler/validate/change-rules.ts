import { podTemplateOf, type GitField, type GitManifest } from '../../semantics/kinds/git-side.ts';
import { retainedByPartition } from '../../semantics/kinds/git-partition.ts';
import {
  updatesNone,
  claimTemplates,
  isAutoscaled,
  ownedPods,
  rolloutSize,
  updatesOf,
} from '../../semantics/kinds/git-units.ts';
import { isSameAmount } from '../../semantics/template/amounts.ts';
import type { ClassifiedField } from '../../semantics/template/classify.ts';
import { partitionText } from '../../semantics/values/partition.ts';
import { parseQuantity } from '../../semantics/values/quantity.ts';
import { canonicalJson } from '../../semantics/values/canonical-json.ts';
import { formatSelector, isStoredAlike } from '../../semantics/values/selector.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { type Change, recreatesForClaims } from '../plan/change.ts';
import { ownPolicy, POLICY_ANNOTATION } from '../../semantics/policy.ts';
import { fieldPath } from '../plan/target.ts';
import type { Target } from '../plan/target.ts';
import type { Mode } from '../../semantics/template/mode.ts';
import { formatDuration } from '../../semantics/values/duration.ts';
import { leastMs } from '../forecast/pace.ts';
import { claimRules, grownClaims } from './claim-rules.ts';
import { generatedNames } from './generated-names.ts';
import { schemaOf } from './known-fields.ts';
import { gateRules } from './lifecycle-rules.ts';
import { pathIn } from './manifest-path.ts';
import type { Locate } from './schema-errors.ts';

/** Diagnostics that need both states of a target. `locate` finds positions in the manifest at head. */
export function changeRules(change: Change, locate: Locate): Diagnostic[] {
  const { base, head, classification } = change;
  if (base === undefined || head === undefined || change.action === 'Unchanged') return [];
  const found: Diagnostic[] = [];
  const [before, after] = [base.normal, head.normal];
  const pathOf = (field: GitField): string[] => fieldPath(head, field);
  if (!isStoredAlike(ownedPods(before.units)?.selector, ownedPods(after.units)?.selector))
    found.push(
      diagnostic('KR2102', { isSpelling: selectsAlike(base, after) }, locate(pathOf('selector'), 'key')),
    );
  const [from, to] = [rolloutSize(before.units) ?? 0, rolloutSize(after.units) ?? 0];
  if (!isAutoscaled(after.units) && to * 2 < from) {
    const args = { from, to };
    found.push(diagnostic('KR2110', args, locate(pathOf('replicas'), 'value')));
  }
  const isLeft = !isAutoscaled(before.units) && isAutoscaled(after.units);
  if (isLeft && head.applied !== undefined && from !== head.applied) {
    const number = head.replicasFrom === undefined ? undefined : `${to} is ${head.replicasFrom}`;
    const args = { from, to: head.applied, number };
    found.push(diagnostic('KR2220', args, locate(pathOf('replicas'), 'key')));
  }
  const add = (more: readonly Diagnostic[]): void => {
    for (const each of more) found.push(each);
  };
  add(claimRules(base, head, locate));
  add(gateRules(before, after, pathOf('lifecycle'), locate));
  const changesClaims =
    canonicalJson(claimTemplates(before.units)) !== canonicalJson(claimTemplates(after.units));
  if (changesClaims && !recreatesForClaims(base, head)) {
    const at = locate(pathOf('volumeClaimTemplates'), 'key');
    const grown = head.claims === undefined ? '' : grownClaims(base, head);
    const { units } = after;
    const onlyNewSubsets = units.of === 'subsets' && units.keepsClaimTemplates;
    found.push(
      grown === ''
        ? diagnostic('KR2119', { onlyNewSubsets }, at)
        : diagnostic('KR2149', { claims: grown }, at),
    );
  }
  const { noUpdates } = change.type.facts;
  if (
    noUpdates !== undefined &&
    updatesNone(before.units) &&
    !updatesNone(after.units) &&
    change.action !== 'Update'
  ) {
    found.push(diagnostic('KR2130', { type: noUpdates.type }, locate(pathOf('type'), 'value')));
  }
  add(namedBefore(before, head, locate));
  add(policyRule(base, head, locate));
  if (change.action !== 'Update' || classification === undefined) return found;
  const updates = updatesOf(after.units);
  if (updates?.policy === 'InPlaceOnly') {
    for (const field of classification.fields) {
      if (field.effect !== 'Recreate') continue;
      const args = { field: field.path, reason: field.reason };
      found.push(diagnostic('KR2104', args, locate(pathIn(head.manifest.object, field.path), 'key')));
    }
  }
  const left = classification.fields.find(({ effect }) => effect === 'NewPodsOnly');
  if (left !== undefined) {
    const args = { field: left.path, reason: left.reason };
    found.push(diagnostic('KR2192', args, locate(pathIn(head.manifest.object, left.path), 'key')));
  }
  add(respelled(classification.fields, head, locate));
  const recreating = classification.fields.find(({ effect }) => effect === 'Recreate');
  const isPreferred = updates?.policy === 'InPlaceIfPossible' && !updates.onDelete && to > 0;
  if (isPreferred && recreating !== undefined) {
    const args = { field: recreating.path, reason: recreating.reason };
    found.push(diagnostic('KR2138', args, locate(pathIn(head.manifest.object, recreating.path), 'key')));
  }
  add(generatedNames(podTemplateOf(before) ?? {}, podTemplateOf(after) ?? {}, pathOf('template'), locate));
  add(deadlineRule(head, classification.mode, locate));
  const held = retainedByPartition(after.units, to);
  if (to > 0 && held >= to) {
    const args = { partition: partitionText(updates?.partition ?? 0), replicas: to };
    found.push(diagnostic('KR2113', args, locate(pathOf('partition'), 'value')));
  }
  return found;
}

/** A path of an amount: an entry of limits, requests or overhead, or a field that is one. */
const AMOUNT = /(\]|\.sizeLimit|\.divisor)$/;

/** Warns of amounts that are equal, and written in another way. */
function respelled(fields: readonly ClassifiedField[], head: Target, locate: Locate): Diagnostic[] {
  return fields.flatMap(({ path, from, to }) => {
    if (from === undefined || to === undefined || from === to || !AMOUNT.test(path)) return [];
    if (parseQuantity(from) === undefined || !isSameAmount(String(from), String(to))) return [];
    const args = { field: path, from: String(from), to: String(to) };
    return [diagnostic('KR2223', args, locate(pathIn(head.manifest.object, path), 'value'))];
  });
}

/**
 * Warns of a deadline that a healthy rollout cannot meet. A deadline not above `minReadySeconds` is reported by the rules
 * of the manifest (KR2116).
 */
function deadlineRule(head: Target, mode: Mode, locate: Locate): Diagnostic[] {
  const { progressDeadlineSeconds: deadline, minReadySeconds = 0 } = ownedPods(head.normal.units) ?? {};
  if (deadline === undefined || deadline <= minReadySeconds) return [];
  const least = leastMs([{ id: 'update', update: { to: '100%' } }], head, mode);
  if (least <= deadline * 1000) return [];
  const position = locate(fieldPath(head, 'progressDeadlineSeconds'), 'value');
  return [diagnostic('KR2133', { deadline, least: formatDuration(least) }, position)];
}

/** Whether two selectors select the same. The base was not validated, so its selector is parsed only if it fits the schema. */
function selectsAlike({ manifest, normal }: Target, after: GitManifest): boolean {
  return (
    schemaOf(manifest.type.id).validate(manifest.object).length === 0 &&
    formatSelector(ownedPods(normal.units)?.selector) === formatSelector(ownedPods(after.units)?.selector)
  );
}

function namedBefore(before: GitManifest, head: Target, locate: Locate): Diagnostic[] {
  const named = new Set(ownedPods(before.units)?.podsToDelete);
  return (ownedPods(head.normal.units)?.podsToDelete ?? []).flatMap((pod, index) => {
    const path = [...fieldPath(head, 'podsToDelete'), String(index)];
    return named.has(pod) ? [diagnostic('KR2131', { pod }, locate(path, 'value'))] : [];
  });
}

function policyRule(base: Target, head: Target, locate: Locate): Diagnostic[] {
  const [from, to] = [ownPolicy(base.manifest.object), ownPolicy(head.manifest.object)];
  if (from === undefined || from === 'Auto' || (to !== undefined && to !== 'Auto')) return [];
  const position = locate(['metadata', 'annotations', POLICY_ANNOTATION], 'value');
  return [diagnostic('KR2121', { from, to }, position)];
}
