/** What the rules read of a pod of any owner on a node. */
export interface PodOnNode {
  node: string;
  /** `namespace/name`, for messages. */
  name: string;
  uid: string;
  /** It is Ready, or has succeeded. */
  available: boolean;
  /** Restarts of its containers. */
  restarts: number;
  /** Milliseconds since 1970. */
  createdAt: number;
}
