/** The reasons of the condition Held with which a rollout has ended badly; with any other it waits. */
export const ENDED_BADLY = ['Halted', 'Aborted', 'Reverted'];
