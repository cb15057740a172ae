import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import type { KindRules } from '../api/registry.ts';
import { fieldAt } from '../../schemas/pods/fields.ts';
import { checkLabelSelector } from '../../schemas/pods/fieldChecks.ts';
import { percentRule } from './percent.ts';

const evictionPolicies = ['AlwaysAllow', 'IfHealthyBudget'];

function checkShare(path: string, value: unknown): FieldError[] {
  if (typeof value === 'number')
    return value < 0 ? [field.invalid(path, value, 'must be greater than or equal to 0')] : [];
  if (typeof value !== 'string') return [];
  if (!/^[0-9]+%$/.test(value)) return [field.invalid(path, value, percentRule)];
  return Number.parseInt(value, 10) > 100
    ? [field.invalid(path, value, 'must not be greater than 100%')]
    : [];
}

/** PodDisruptionBudgets: exactly one of minAvailable and maxUnavailable, as number or percentage. */
export const budgetRules: KindRules = {
  needsRevision: true,
  prepareCreate: (object) => ({
    ...object,
    status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  }),
  check(object) {
    const at = (name: string) => fieldAt(object, ['spec', name]);
    const [minAvailable, maxUnavailable] = [at('minAvailable'), at('maxUnavailable')];
    const shown = {
      MinAvailable: minAvailable,
      Selector: at('selector') ?? null,
      MaxUnavailable: maxUnavailable,
      UnhealthyPodEvictionPolicy: at('unhealthyPodEvictionPolicy') ?? null,
    };
    const policy = at('unhealthyPodEvictionPolicy');
    return [
      ...(minAvailable !== undefined && maxUnavailable !== undefined
        ? [field.invalid('spec', shown, 'minAvailable and maxUnavailable cannot be both set')]
        : []),
      ...checkShare('spec.minAvailable', minAvailable),
      ...checkShare('spec.maxUnavailable', maxUnavailable),
      ...(policy === undefined || (evictionPolicies as readonly unknown[]).includes(policy)
        ? []
        : [field.notSupported('spec.unhealthyPodEvictionPolicy', policy, evictionPolicies)]),
      ...checkLabelSelector('spec.selector', at('selector')),
    ];
  },
};
