export { ApiError } from '../schemas/wire/cluster.ts';
export type {
  Cluster,
  DeleteOptions,
  ListOptions,
  ObjectKey,
  ObjectList,
  Patch,
  Resource,
  Status,
  WatchEvent,
  WatchHandle,
  WatchOptions,
  WatchSink,
  WriteOptions,
} from '../schemas/wire/cluster.ts';
export type { JsonObject } from '../schemas/wire/json.ts';
export type { KubeObject } from '../schemas/wire/object.ts';
export { resources } from '../schemas/wire/resources.ts';
export type { ResourceAttributes } from './access/attributes.ts';
export { authorized } from './access/authorized.ts';
export { serviceAccount, type UserInfo } from './access/users.ts';
export type { ServedVersion } from './api/registry.ts';
export type { ApiLogEntry, ApiServer } from './api/server.ts';
export * from './clock/index.ts';
export type { Timings } from './controllers/context.ts';
export * from './faults/index.ts';
export { atomOf, fieldType, objectType, type FieldType } from './fields/atom.ts';
export { behaviorByTag, type ImageBehavior, type Images } from './kubelet/images.ts';
export type { NodeOptions } from './kubelet/newNode.ts';
export type { Nodes } from './kubelet/nodes.ts';
export { VERSION, type Unreadable } from './state/format.ts';
export { openJournal, type Journal, type StateFile } from './state/journal.ts';
export type { Commit } from './store/history.ts';
export { createIdSource, idsFrom, type IdSource } from './store/ids.ts';
export type { State } from './store/store.ts';
export type { WebhookClient } from './webhooks/answers.ts';
export { createWorld, type World, type WorldOptions } from './world.ts';
