import { sidecarSetInjector } from '../sidecarset/injector.ts';
import type { PodInjector } from './pod-injector.ts';

/** The list of kinds that add to new pods of any owner. */
export const podInjectors: readonly PodInjector[] = [sidecarSetInjector];
