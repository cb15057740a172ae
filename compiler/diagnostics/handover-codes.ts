import { define } from './definition.ts';

/** A workload whose pods go from one controller to another. */
interface Handover {
  /** Kind, namespace and name. */
  target: string;
  /** The API group of Kubernetes on the other side: `apps`. */
  group: string;
  /** `its 3 pods` */
  pods: string;
  /** Deletes the old object, and leaves its pods. */
  command: string;
}

/** KR215x: workloads that change between a kind of Kubernetes and one of OpenKruise. */
export const handoverCodes = {
  /** `second`: the pods that it makes as long as the old object has its own; undefined: it makes none, as their names are taken. */
  KR2154: define<Handover & { isLeft: boolean; second: string | undefined }>({
    title: 'Pods belong to another controller',
    severity: 'warning',
    message: ({ target, group, pods, isLeft, second }) =>
      isLeft
        ? `${target} stays in git with the group ${group}, too: ${pods} belong to that one, and this one ${second === undefined ? 'waits' : `makes ${second}`}`
        : `${target} comes from the group ${group}: it adopts ${pods} without a restart, if the old object leaves them`,
    help: ({ command, isLeft, second }) =>
      isLeft
        ? 'remove the old manifest in the same commit'
        : `before this is applied${second === undefined ? '' : `, or it makes ${second}`}: ${command}. Keep Argo CD or Flux from pruning the old object: docs/how-to/from-kubernetes.md`,
    about:
      'The two kinds have the same pods, and the same claims if they have any, but a pod has one controller. A GitOps engine that ' +
      'prunes the old object deletes its pods, too. Deleted with --cascade=orphan, it leaves its pods, claims and ' +
      'ControllerRevisions. The runtime then adopts pods and revisions, and finds the claims by name; no container is ' +
      'restarted. Where names of pods are drawn, as those of pods on nodes, no name keeps the new object waiting: if it is applied ' +
      'before the old one is deleted, it makes pods of its own.',
    remedy:
      'Exclude the old object from pruning in an earlier commit, delete it with --cascade=orphan, then apply this one.',
  }),
  KR2155: define<{ target: string; group: string }>({
    title: 'Template changed together with the kind',
    severity: 'error',
    message: ({ target, group }) =>
      `${target} comes from the group ${group} with another template: a plan cannot start from a template of that group`,
    help: () => 'change only apiVersion in this commit, and the template in the next one',
    about:
      'The pods keep running the old template, and are adopted with its revision. An update of them needs a plan, and a plan ' +
      'starts from a revision of the same kind. With the template unchanged the first plan is that of the next commit.',
    remedy:
      'Split the commit: first apiVersion alone, then the template. A readiness gate for updates in place is a part of the template.',
  }),
  KR2156: define<Handover>({
    title: 'Pods go to a controller of Kubernetes',
    severity: 'warning',
    message: ({ target, group, pods }) =>
      `${target} goes to the group ${group}: that adopts ${pods}, if the old object leaves them, and restarts those that it did not create`,
    help: ({ command }) =>
      `before this is applied: ${command}. updateStrategy {type: OnDelete} prevents the restarts. Keep Argo CD or Flux from pruning the old object: docs/how-to/from-kubernetes.md`,
    about:
      'The two kinds have the same pods, and the same claims if they have any, but a pod has one controller. The controller of ' +
      'Kubernetes adopts pods that have none. It compares revisions by name: pods on a revision that it created itself are up to ' +
      'date. Pods that were updated or created since are restarted: those with ordinals one at a time, the highest first, those of ' +
      'nodes as updateStrategy says. No plan gates that.',
    remedy:
      'Exclude the old object from pruning in an earlier commit, delete it with --cascade=orphan, then apply the new one, with OnDelete if no pod may restart.',
  }),
  KR2157: define<{ from: string; to: string; pods: string; lowest: string }>({
    title: 'Pods of both end and start at once',
    severity: 'warning',
    message: ({ from, to, pods, lowest }) =>
      `${from} becomes the ${to}, which does not adopt ${pods}: one sync deletes them while others start, at the lowest ${lowest}`,
    help: () =>
      'in two commits: first keep Argo CD or Flux from pruning the old object, then let both run until the new one is available, and delete the old one: docs/how-to/plain-kubernetes.md',
    about:
      'An object that `kruise build` compiles now, or no longer, is deleted, and another one is created. No controller adopts pods whose ' +
      'labels or names are those of another kind. An engine prunes the old object with all of its pods, whether the new pods are ' +
      'available or not. No plan gates that.',
    remedy:
      'Exclude the old object from pruning in an earlier commit. Land the new one, and delete the old one when the new pods are available.',
  }),
} as const;
