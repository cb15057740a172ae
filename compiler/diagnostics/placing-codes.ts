import { countText } from '../../semantics/values/text.ts';
import { define } from './definition.ts';

/** KR2233 to KR2237: objects that place pods of a workload. */
export const placingCodes = {
  KR2233: define<{ object: string; workload: string }>({
    title: 'Pods are placed of a workload that is not in git',
    severity: 'warning',
    message: ({ object, workload }) => `${object} places pods of ${workload}, which is not in git`,
    about:
      'The object has no effect until the workload is there. A wrong name, group or namespace looks the same. Neither the room for its ' +
      'pods nor the patches of them can be checked.',
    remedy: 'Correct spec.targetRef, or add the workload. Where another repository has it, ignore this.',
  }),
  KR2234: define<{ workload: string; rule: string }>({
    title: 'Patch that cannot be applied to the pods of a workload',
    severity: 'error',
    message: ({ workload, rule }) => `the patch does not fit the template of ${workload}: ${rule}`,
    about:
      'A patch is a strategic merge patch of each new pod. One that does not fit, or by which the workload would not select its pods any ' +
      'more, is left out in the cluster, and the pod is created without it.',
    remedy: 'Correct the patch: lists of containers, volumes and variables are merged by their names.',
  }),
  KR2235: define<{ object: string; workload: string; room: number; wanted: number | undefined }>({
    title: 'Not all pods have a place',
    severity: 'warning',
    message: ({ object, workload, room, wanted }) => {
      const has = `${object} has room for ${countText(room, 'pod')} of ${workload}`;
      if (wanted === undefined) return `${has}, however many there are to be`;
      return room < wanted ? `${has}, which wants ${wanted}` : `${has}: what it creates beyond goes anywhere`;
    },
    help: () => 'remove maxReplicas of the last subset',
    about:
      'A pod for which no subset has room is created as it is: it may run on any node. An update with surge, and a scale-out, create ' +
      'more pods than there are now.',
    remedy: 'Leave the last subset without maxReplicas, or raise the caps.',
  }),
  KR2236: define<{ object: string; workload: string; gate: string }>({
    title: 'Pods are placed whose template lacks the gate',
    severity: 'warning',
    message: ({ object, workload, gate }) =>
      `${object} places pods of ${workload}, whose template lacks the scheduling gate ${gate}`,
    help: ({ gate }) => `run kruise build, or add {name: ${gate}} to spec.template.spec.schedulingGates`,
    about:
      'Kubernetes creates these pods. Without the gate they are scheduled before they have a subset: they are counted by their node, and no ' +
      'cap holds.',
    remedy: 'Commit what kruise build writes, or add the gate. It is one rollout of the workload.',
  }),
  KR2237: define<{ workload: string; gate: string }>({
    title: 'Gate that nothing removes',
    severity: 'warning',
    message: ({ workload, gate }) =>
      `pods of ${workload} wait with the scheduling gate ${gate}, and nothing in git removes it`,
    help: () => 'remove the gate, or add the object that places these pods',
    about:
      'A pod with the gate is not scheduled until the runtime has chosen its subset. Without an object that names its workload it waits for a minute, each time.',
    remedy: 'Remove the gate from the template. Where another repository has that object, ignore this.',
  }),
} as const;
