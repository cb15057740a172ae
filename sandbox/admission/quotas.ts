import type { KubeObject } from '../../schemas/wire/object.ts';
import { refuse } from '../api/errors.ts';
import type { Registry, ResourceType } from '../api/registry.ts';
import type { Amount } from '../../schemas/pods/amount.ts';
import { fieldAt, isFields } from '../../schemas/pods/fields.ts';
import {
  addTo,
  amountsOf,
  increaseOf,
  noAmounts,
  maskAmounts,
  amountsText,
  toResourceList,
  type Amounts,
} from '../../schemas/pods/amounts.ts';
import { evaluatorOf, type Evaluator } from './evaluators.ts';
import { scopesOf } from './scopes.ts';

/** A write that is subject to quotas. */
export interface QuotaWrite {
  type: ResourceType;
  object: KubeObject;
  /** The stored object, for an update. */
  before?: KubeObject | undefined;
  subresource?: string | undefined;
  /** Milliseconds since 1970 UTC. */
  now: number;
}

function isInScope(evaluator: Evaluator, quota: KubeObject, object: KubeObject): boolean {
  return scopesOf(quota).every((scope) => evaluator.matchesScope?.(scope, object) === true);
}

function withUsed(quota: KubeObject, used: Amounts): KubeObject {
  const status = isFields(quota['status']) ? quota['status'] : {};
  return { ...quota, status: { ...status, used: toResourceList(used) } };
}

/**
 * The quotas of a namespace after a write: only those that change, in order. 403 if a quota would be exceeded or
 * the object does not set a resource that a quota requires.
 */
export function chargeQuotas(quotas: readonly KubeObject[], write: QuotaWrite): KubeObject[] {
  const { type, object, before, subresource, now } = write;
  const evaluator = evaluatorOf(type);
  if (evaluator === undefined) return [];
  if (before !== undefined && evaluator.updates !== (subresource ?? 'object')) return [];
  const forbidden = (why: string) => refuse.forbidden(type, object.metadata.name, why);
  const counting = quotas.flatMap((quota) => {
    const hard = fieldAt(quota, ['status', 'hard']);
    const names = Object.keys(isFields(hard) ? hard : {})
      .filter((name) => evaluator.counts(name))
      .sort();
    if (names.length === 0 || !isInScope(evaluator, quota, object)) return [];
    const missing = evaluator.missingResources?.(object, names);
    if (missing !== undefined) throw forbidden(`failed quota: ${quota.metadata.name}: ${missing}`);
    const used = amountsOf(fieldAt(quota, ['status', 'used']));
    if (names.some((name) => !used.has(name)))
      throw forbidden(`status unknown for quota: ${quota.metadata.name}, resources: ${names.join(',')}`);
    return [{ quota, hard: amountsOf(hard), used }];
  });
  if (counting.length === 0) return [];
  const usage = evaluator.usage(object, now);
  const more = increaseOf(usage, before === undefined ? new Map() : evaluator.usage(before, now));
  return counting.flatMap(({ quota, hard, used }) => {
    const requested = maskAmounts(more, [...hard.keys()]);
    if (requested.size === 0) return [];
    const sum = new Map(used);
    addTo(sum, requested);
    const exceeded = [...requested.keys()].filter(
      (name) => (sum.get(name)?.billionths ?? 0n) > (hard.get(name)?.billionths ?? 0n),
    );
    if (exceeded.length > 0)
      throw forbidden(
        `exceeded quota: ${quota.metadata.name}, requested: ${amountsText(maskAmounts(requested, exceeded))}, ` +
          `used: ${amountsText(maskAmounts(used, exceeded))}, limited: ${amountsText(maskAmounts(hard, exceeded))}`,
      );
    return [withUsed(quota, sum)];
  });
}

/** The objects that a quota counts. */
export interface Inventory {
  registry: Pick<Registry, 'types'>;
  list(id: string, namespace: string): readonly KubeObject[];
  /** Milliseconds since 1970 UTC. */
  now: number;
}

/**
 * A quota with its status recomputed: `hard` from its spec, `used` from the current objects. Resources that no kind
 * here uses get no usage; existing usage written by other clients is preserved.
 */
export function recountQuota(quota: KubeObject, { registry, list, now }: Inventory): KubeObject {
  const hard = amountsOf(fieldAt(quota, ['spec', 'hard']));
  const { namespace = '' } = quota.metadata;
  const used = new Map<string, Amount>();
  for (const type of registry.types()) {
    const evaluator = evaluatorOf(type);
    const names = evaluator === undefined ? [] : [...hard.keys()].filter((name) => evaluator.counts(name));
    if (evaluator === undefined || names.length === 0) continue;
    for (const name of names) used.set(name, used.get(name) ?? noAmounts);
    for (const object of list(type.id, namespace))
      if (isInScope(evaluator, quota, object)) addTo(used, maskAmounts(evaluator.usage(object, now), names));
  }
  const known = amountsOf(fieldAt(quota, ['status', 'used']));
  for (const [name, amount] of known) if (hard.has(name) && !used.has(name)) used.set(name, amount);
  if (hard.size === 0) return { ...quota, status: {} };
  return {
    ...quota,
    status: { hard: toResourceList(hard), ...(used.size === 0 ? {} : { used: toResourceList(used) }) },
  };
}
