import type { KindRules } from '../api/registry.ts';
import { checkClaimSpec } from '../../schemas/pods/claimValidation.ts';
import { checkAddressType, checkEndpoints, checkEndpointSlice } from './endpointValidation.ts';
import { checkIngress, checkIngressClass, checkIngressClassNames } from './ingressValidation.ts';
import { checkNetworkPolicy } from './networkPolicyValidation.ts';
import { checkNode } from './nodeValidation.ts';
import { checkPersistentVolume } from './persistentVolumeValidation.ts';
import {
  checkRuntimeClass,
  checkStorageClass,
  checkStorageDriver,
  checkStorageNode,
  checkVolumeAttachment,
} from './storageValidation.ts';

type Checks = Pick<KindRules, 'check' | 'checkCreate' | 'checkUpdate'>;

/** Validation of kinds without other rules, by resource id. */
const validations: Readonly<Record<string, Checks>> = {
  'csidrivers.storage.k8s.io': { check: checkStorageDriver },
  'csinodes.storage.k8s.io': { check: checkStorageNode },
  endpoints: { check: checkEndpoints },
  'endpointslices.discovery.k8s.io': { check: checkEndpointSlice, checkUpdate: checkAddressType },
  'ingressclasses.networking.k8s.io': { check: checkIngressClass },
  'ingresses.networking.k8s.io': { check: checkIngress, checkCreate: checkIngressClassNames },
  'networkpolicies.networking.k8s.io': { check: checkNetworkPolicy },
  nodes: { check: checkNode },
  persistentvolumeclaims: { check: (object) => checkClaimSpec(object['spec'], 'spec') },
  persistentvolumes: { check: checkPersistentVolume },
  'runtimeclasses.node.k8s.io': { check: checkRuntimeClass },
  'storageclasses.storage.k8s.io': { check: checkStorageClass },
  'volumeattachments.storage.k8s.io': { check: checkVolumeAttachment },
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
