import { define } from './definition.ts';
import { countText, quoted } from './phrases.ts';

/** What is said of volume claims. */
export const claimCodes = {
  KR2140: define<{ claims: number; pods: number }>({
    title: 'Recreated pods lose their data',
    severity: 'warning',
    message: ({ claims, pods }) =>
      `${countText(pods, 'pod is', 'pods are')} recreated, and ${countText(claims, 'volume claim is', 'volume claims are')} deleted with ${pods === 1 ? 'it' : 'them'}: the data is lost`,
    about:
      'A pod that the workload itself deletes takes its claims with it, whatever the setting ' +
      'of reuse. New pods begin with empty ones, and going back brings nothing back.',
    remedy: 'Make the change in place if it can be, or see that the data is elsewhere first.',
  }),
  KR2141: define<{ claims: number; pods: number }>({
    title: 'Scaling in deletes data',
    severity: 'warning',
    message: ({ claims, pods }) =>
      `${countText(pods, 'pod is', 'pods are')} scaled in, and ${countText(claims, 'volume claim is', 'volume claims are')} deleted with ${pods === 1 ? 'it' : 'them'}: the data is lost`,
    about:
      'A pod that is scaled in takes its claims with it, whatever the setting of reuse. ' +
      'Scaling is never gated by a plan, so the reviewer should see it here.',
    remedy: 'See that the data is elsewhere first, or leave replicas as they are.',
  }),
  KR2142: define<{ pod: string; claims: number }>({
    title: 'Deleting a pod by name deletes its data',
    severity: 'warning',
    message: ({ pod, claims }) =>
      `pod ${pod} goes, and ${countText(claims, 'volume claim is', 'volume claims are')} deleted with it: the data is lost`,
    about:
      'A pod that podsToDelete names takes its claims with it, whatever the setting of reuse, ' +
      'and the pod that is made in its place has empty ones.',
    remedy:
      'See that the data is elsewhere first. Where claims are taken over, evicting the pod moves it with its data.',
  }),
  KR2143: define<{ claims: number; pods: number }>({
    title: 'Pods that people delete lose their data',
    severity: 'warning',
    message: ({ claims, pods }) =>
      `${countText(pods, 'pod gets', 'pods get')} the change when somebody deletes ${pods === 1 ? 'it' : 'them'}, and ${countText(claims, 'volume claim is', 'volume claims are')} deleted with ${pods === 1 ? 'it' : 'them'}: the data is lost`,
    about:
      'Where claims are not taken over, those of a pod that somebody deletes are deleted, ' +
      'and OnDelete asks for just that.',
    remedy: 'Let claims be taken over for this roll-out, or see that the data is elsewhere first.',
  }),
  KR2144: define({
    title: 'Claims are not taken over any more',
    severity: 'warning',
    message: () =>
      'claims that no pod has are deleted at once, and from now on those of every pod that is evicted, fails or is deleted by hand',
    about:
      'With reuse off a pod that goes by itself takes its data with it; its successor has a ' +
      'new name and empty claims.',
    remedy: 'Leave claims to be taken over, unless what is in them can be had elsewhere.',
  }),
  KR2145: define<{ field: string; rule: string }>({
    title: 'Name of a claim template',
    severity: 'error',
    message: ({ field, rule }) => `${field} ${rule}`,
    about:
      'The name of a claim template is that of a volume of each pod, and the first ' +
      'part of the name of its claim. Pods of such a workload would be refused.',
    remedy: 'Give each claim template a name of its own, and mount it by that.',
  }),
  KR2146: define<{ field: string; rule: string }>({
    title: 'Claim that the server refuses',
    severity: 'error',
    message: ({ field, rule }) => `${field} ${rule}`,
    about:
      'OpenKruise does not look into claim templates, and the server only when a claim is made of one: pods would wait for ' +
      'claims that never are.',
    remedy: 'Write what a PersistentVolumeClaim needs: accessModes, and resources.requests.storage.',
  }),
  KR2147: define<{ volume: string }>({
    title: 'Volume behind a claim',
    severity: 'warning',
    message: ({ volume }) =>
      `the volume ${quoted(volume)} is not used: pods get the claim of that name in its place`,
    about:
      'A claim template stands for a volume of the same name. Its admission refuses ' +
      'a template that has both.',
    remedy: 'Remove the volume, or give the claim template another name.',
  }),
  KR2148: define<{ volume: string }>({
    title: 'Mount without a volume',
    severity: 'error',
    message: ({ volume }) => `neither a volume nor a claim template is called ${quoted(volume)}`,
    about: 'Pods of such a template would be refused.',
    remedy: 'Mount a volume that is there, or add it to volumes or volumeClaimTemplates.',
  }),
} as const;
