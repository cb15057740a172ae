/** The labels by which the pods of a BroadcastJob are known (OpenKruise broadcastjob, section 5): its name and its uid. */
export const JOB_NAME_LABEL = 'broadcastjob-name';
export const JOB_UID_LABEL = 'broadcastjob-controller-uid';
