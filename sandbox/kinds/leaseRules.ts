import { field } from '../../schemas/pods/fieldErrors.ts';
import type { KindRules } from '../api/registry.ts';
import { fieldAt } from '../../schemas/pods/fields.ts';

/** Leases; PUT creates them, as leader election clients expect. */
export const leaseRules: KindRules = {
  createsOnUpdate: true,
  needsRevision: true,
  defaults: (object) => ({ ...object, spec: object['spec'] ?? {} }),
  check(object) {
    const seconds = fieldAt(object, ['spec', 'leaseDurationSeconds']);
    const transitions = fieldAt(object, ['spec', 'leaseTransitions']);
    return [
      ...(typeof seconds === 'number' && seconds <= 0
        ? [field.invalid('spec.leaseDurationSeconds', seconds, 'must be greater than 0')]
        : []),
      ...(typeof transitions === 'number' && transitions < 0
        ? [field.invalid('spec.leaseTransitions', transitions, 'must be greater than or equal to 0')]
        : []),
    ];
  },
};
