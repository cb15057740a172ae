export {
  createRemoteNodes,
  SIMULATED_NODE,
  type Follower,
  type RemoteNodes,
  type RemoteNodesOptions,
} from './remoteNodes.ts';
