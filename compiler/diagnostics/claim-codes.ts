import { define } from './definition.ts';
import { countText } from '../../semantics/values/text.ts';
import { shorten } from '../text/escape.ts';
import { claimsLost, didYouMean, quoted } from './phrases.ts';

/** KR214x: volume claims. */
export const claimCodes = {
  KR2140: define<{ claims: number; pods: number }>({
    title: 'Recreated pods lose their data',
    severity: 'warning',
    message: ({ claims, pods }) =>
      `${countText(pods, 'pod is', 'pods are')} recreated, and ${countText(claims, 'volume claim is', 'volume claims are')} deleted with ${pods === 1 ? 'it' : 'them'}: the data is lost`,
    about:
      'When the workload deletes a pod, the claims of the pod are deleted too, whatever the setting of reuse. ' +
      'New pods start with empty claims, and a revert does not restore the data.',
    remedy: 'Make the change in place if possible, or copy the data elsewhere first.',
  }),
  KR2141: define<{ claims: number; pods: number; names: string }>({
    title: 'Scaling in deletes data',
    severity: 'warning',
    message: ({ claims, pods, names }) =>
      `${countText(pods, 'pod is', 'pods are')} scaled in, and ${claimsLost({ claims, pods, names })}`,
    about:
      'When a pod is scaled in, its claims are deleted too, whatever the setting of reuse. Claims that ' +
      'outlive their pods are deleted only where persistentVolumeClaimRetentionPolicy.whenScaled is Delete. ' +
      'No plan gates scaling, so the reviewer should know.',
    remedy: 'Copy the data elsewhere first, or keep replicas as they are.',
  }),
  KR2142: define<{ pod: string; claims: number }>({
    title: 'Deleting a pod by name deletes its data',
    severity: 'warning',
    message: ({ pod, claims }) =>
      `pod ${pod} is deleted, and ${countText(claims, 'volume claim is', 'volume claims are')} deleted with it: the data is lost`,
    about:
      'The claims of a pod that podsToDelete names are deleted with it, whatever the setting of reuse. ' +
      'The pod that replaces it gets empty claims.',
    remedy:
      'Copy the data elsewhere first. If claims are reused, evict the pod instead: its replacement gets the data.',
  }),
  KR2143: define<{ claims: number; pods: number }>({
    title: 'Pods that users delete lose their data',
    severity: 'warning',
    message: ({ claims, pods }) =>
      `${countText(pods, 'pod gets', 'pods get')} the change when a user deletes ${pods === 1 ? 'it' : 'them'}, and ${countText(claims, 'volume claim is', 'volume claims are')} deleted with ${pods === 1 ? 'it' : 'them'}: the data is lost`,
    about:
      'With OnDelete, users delete pods to update them. If claims are not reused, the claims of each pod are deleted with it.',
    remedy: 'Enable the reuse of claims for this rollout, or copy the data elsewhere first.',
  }),
  KR2144: define({
    title: 'Claims are no longer reused',
    severity: 'warning',
    message: () =>
      'claims without a pod are deleted at once; from now on claims are also deleted when their pod is evicted, fails or is deleted',
    about:
      'Without reuse, the claims of a lost pod are deleted with it. Its replacement has a new name and empty claims.',
    remedy: 'Keep the reuse of claims enabled, unless the data is available elsewhere.',
  }),
  KR2145: define<{ field: string; rule: string }>({
    title: 'Name of a claim template',
    severity: 'error',
    message: ({ field, rule }) => `${field} ${rule}`,
    about:
      'The name of a claim template becomes the name of a volume in each pod and the first part of the name of its claim. ' +
      'The API server would refuse the pods of this workload.',
    remedy: 'Give each claim template a unique name, and mount it by that name.',
  }),
  KR2146: define<{ field: string; rule: string; suggestion?: string | undefined }>({
    title: 'Claim that the server refuses',
    severity: 'error',
    message: ({ field, rule }) => `${field} ${rule}`,
    help: ({ suggestion }) => didYouMean(suggestion),
    about:
      'OpenKruise does not check claim templates, and the API server checks only the claims created from them. ' +
      'Pods would wait for claims that are never created.',
    remedy: 'Set what a PersistentVolumeClaim needs: accessModes and resources.requests.storage.',
  }),
  KR2147: define<{ volume: string }>({
    title: 'Volume replaced by a claim',
    severity: 'warning',
    message: ({ volume }) =>
      `the volume ${quoted(volume)} is not used: pods get the claim of that name instead`,
    about:
      'A claim template defines a volume of the same name. The admission of OpenKruise refuses a template that has both.',
    remedy: 'Remove the volume, or give the claim template another name.',
  }),
  KR2148: define<{ volume: string; subset: string | undefined }>({
    title: 'Mount without a volume',
    severity: 'error',
    message: ({ volume, subset }) =>
      `no volume and no claim template is named ${quoted(volume)}${subset === undefined ? '' : ` in subset ${subset}`}`,
    about: 'The API server would refuse pods of this template.',
    remedy:
      'Mount an existing volume, or add it to volumes or volumeClaimTemplates, or to the patch of each subset.',
  }),
  KR2149: define<{ claims: string }>({
    title: 'Claims grow',
    severity: 'warning',
    message: ({ claims }) => `existing volume claims grow: ${shorten(claims, 200)}`,
    about:
      'With volumeClaimUpdateStrategy OnPodRollingUpdate existing claims follow a larger template, the highest ordinal first, ' +
      'within the steps of the plan, partition and maxUnavailable. Pods are not recreated for it. ' +
      'A claim never shrinks again, also where the commit is reverted. Only claims of the same storage class and access modes ' +
      'grow, and the server refuses it where the storage class does not set allowVolumeExpansion: then the workload is held.',
    remedy: 'Make sure that the storage class allows the expansion, and that the size is meant to stay.',
  }),
} as const;
