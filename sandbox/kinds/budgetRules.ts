import { field, type FieldError } from '../api/errors.ts';
import type { KindRules } from '../api/registry.ts';
import { fieldAt } from '../store/value.ts';

const percentRule =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
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

/** PodDisruptionBudgets: one bound, of a number of pods or of a share up to 100%. */
export const budgetRules: KindRules = {
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
    ];
  },
};
