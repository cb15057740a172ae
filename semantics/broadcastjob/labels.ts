/** The labels by which the pods of a BroadcastJob are known (OpenKruise broadcastjob, section 5): its name and its uid. */
export const JOB_NAME_LABEL = 'broadcastjob-name';
export const JOB_UID_LABEL = 'broadcastjob-controller-uid';
/** The label of a pod that a plan has started: its run. */
export const RUN_LABEL = 'plan.kruise.io/run';

/** The hash that a value of that label stands for. */
export function hashOfRunLabel(label: string): string {
  return `h1:${label}`;
}

/** The value of that label for the hash of a template: without its prefix, since a label has no colon. */
export function runLabel(hash: string): string {
  return hash.slice(hash.indexOf(':') + 1);
}
