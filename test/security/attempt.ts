/** Who tries. */
export type User =
  | 'the runtime'
  | 'a runtime that is not listed'
  | "OpenKruise's manager"
  | 'the garbage collector'
  | 'the namespace controller'
  | 'the StatefulSet controller'
  | 'an administrator';

/** One attempt of a user. */
export interface Attempt {
  /** What is tried, for the record. */
  title: string;
  as: User;
  /** After `kubectl`; without a dry run, which is added. */
  line: string;
  object?: object;
}
