import type { KindRules } from '../api/registry.ts';
import { checkClaimSpec } from '../../schemas/pods/claimValidation.ts';
import { checkNode } from './nodeValidation.ts';
import { checkPersistentVolume } from './persistentVolumeValidation.ts';
import { checkStorageClass } from './storageValidation.ts';

type Checks = Pick<KindRules, 'check' | 'checkCreate' | 'checkUpdate'>;

/** Validation of kinds without other rules, by resource id. */
const validations: Readonly<Record<string, Checks>> = {
  nodes: { check: checkNode },
  persistentvolumeclaims: { check: (object) => checkClaimSpec(object['spec'], 'spec') },
  persistentvolumes: { check: checkPersistentVolume },
  'storageclasses.storage.k8s.io': { check: checkStorageClass },
};

/** Adds validation to the rules of kinds. */
export function withValidations(rules: Readonly<Record<string, KindRules>>): Record<string, KindRules> {
  const complete: Record<string, KindRules> = { ...rules };
  for (const [id, checks] of Object.entries(validations))
    complete[id] = {
      ...checks,
      ...rules[id],
      ...(checks.check === undefined ? {} : { check: checks.check }),
    };
  return complete;
}
