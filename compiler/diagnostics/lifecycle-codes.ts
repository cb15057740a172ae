import { KRUISE_POD_READY } from '../../semantics/pod/types.ts';
import { define } from './definition.ts';

/** KR218x: hooks at which pods wait for other controllers, and the order in which their containers start. */
export const lifecycleCodes = {
  KR2180: define<{ hook: string; why: string }>({
    title: 'Lifecycle hook without effect',
    severity: 'warning',
    message: ({ hook, why }) => `the hook ${hook} holds no pod: ${why}`,
    about:
      'Before a deletion or an update a pod waits as long as it has one of the labels or finalizers of the hook. A new ' +
      'pod waits until it has all of them. A hook that no pod carries never holds one.',
    remedy: 'Put the labels or finalizers of the hook into the template, or remove the hook.',
  }),
  KR2181: define<{ hook: string; label: string }>({
    title: 'Lifecycle hook by a label of the selector',
    severity: 'warning',
    message: ({ hook, label }) =>
      `the hook ${hook} waits until label ${label} is removed, and the selector needs that label`,
    about:
      'A pod that loses a label of the selector no longer belongs to its workload. It is released and replaced, before ' +
      'it is updated or deleted.',
    remedy: 'Use a label for the hook that the selector does not have.',
  }),
  KR2182: define<{ hook: string }>({
    title: 'Pods without the gate KruisePodReady',
    severity: 'warning',
    message: ({ hook }) =>
      `markPodNotReady of the hook ${hook} is new, and existing pods have no gate ${KRUISE_POD_READY}: they stay in traffic while they wait`,
    about:
      'A pod is kept out of traffic by a readiness gate, and gates of a pod never change. The runtime gives the gate to ' +
      'pods that it creates once a hook has markPodNotReady.',
    remedy: 'Nothing, if old pods may serve while they wait. Otherwise recreate them first.',
  }),
  KR2186: define<{ value: string }>({
    title: 'Order of containers without effect',
    severity: 'warning',
    message: ({ value }) => `the containers start in no order: ${value} is not Ordered`,
    about:
      'The annotation apps.kruise.io/container-launch-priority has one value with an effect, Ordered. OpenKruise ignores ' +
      'any other, and so does the runtime.',
    remedy:
      'Write Ordered, or give priorities by the variable KRUISE_CONTAINER_PRIORITY, or remove the annotation.',
  }),
  KR2187: define<{ container: string }>({
    title: 'Order among containers that end',
    severity: 'warning',
    message: ({ container }) =>
      `containers of lower priority start only while ${container} is ready, and it is not ready once it has ended`,
    about:
      'A container starts when all those of higher priority are ready at the same time. One that has ended is not ' +
      'ready: if it ends before the next is started, that one waits for ever.',
    remedy: 'Make what ends an init container. An order suits containers that run until the pod ends.',
  }),
} as const;
