/** The folders of /proc/sys that kernels have. */
export const sysctlTrees: readonly string[] = words(`
  abi appldata crypto debug dev fs fscache kernel lnet lustre net reiserfs s390dbf sunrpc user vm xen
`);

/** Sysctls of common kernels, by the start of their names: to recognise a misspelt one, not to refuse an unknown one. */
const names: Readonly<Record<string, readonly string[]>> = {
  fs: words(`
    aio-max-nr aio-nr dentry-negative dentry-state dir-notify-enable epoll.max_user_watches fanotify.max_queued_events
    fanotify.max_user_groups fanotify.max_user_marks fanotify.watchdog_timeout file-max file-nr
    fuse.default_request_timeout fuse.max_pages_limit fuse.max_request_timeout inode-nr inode-state
    inotify.max_queued_events inotify.max_user_instances inotify.max_user_watches lease-break-time leases-enable
    mount-max mqueue.msg_max mqueue.msgsize_max mqueue.queues_max nr_open overflowgid overflowuid pipe-max-size
    pipe-user-pages-hard pipe-user-pages-soft protected_fifos protected_hardlinks protected_regular protected_symlinks
    suid_dumpable
  `),
  kernel: words(`
    acct arch auto_msgmni bootloader_type bootloader_version bpf_stats_enabled cad_pid cap_last_cap
    core_file_note_size_limit core_modes core_pattern core_pipe_limit core_sort_vma core_uses_pid ctrl-alt-del
    dmesg_restrict domainname firmware_config.force_sysfs_fallback firmware_config.ignore_sysfs_fallback
    ftrace_dump_on_oops ftrace_enabled hardlockup_all_cpu_backtrace hardlockup_panic hostname
    hung_task_all_cpu_backtrace hung_task_check_count hung_task_check_interval_secs hung_task_detect_count
    hung_task_panic hung_task_timeout_secs hung_task_warnings
    io_delay_type io_uring_disabled io_uring_group
    kexec_load_disabled keys.maxbytes keys.maxkeys keys.root_maxbytes keys.root_maxkeys kptr_restrict max_lock_depth
    max_rcu_stall_to_panic msg_next_id msgmax msgmnb msgmni ngroups_max nmi_watchdog numa_balancing
    numa_balancing_promote_rate_limit_MBps oops_all_cpu_backtrace oops_limit osrelease ostype overflowgid overflowuid
    panic panic_on_io_nmi panic_on_oops panic_on_rcu_stall panic_on_unrecovered_nmi panic_on_warn panic_print
    panic_sys_info perf_cpu_time_max_percent perf_event_max_contexts_per_stack perf_event_max_sample_rate
    perf_event_max_stack perf_event_mlock_kb perf_event_paranoid pid_max poweroff_cmd print-fatal-signals printk
    printk_delay printk_devkmsg printk_ratelimit printk_ratelimit_burst pty.max random.write_wakeup_threshold
    randomize_va_space real-root-dev sched_autogroup_enabled sched_cfs_bandwidth_slice_us sched_deadline_period_max_us
    sched_deadline_period_min_us sched_latency_ns sched_migration_cost_ns sched_min_granularity_ns sched_nr_migrate
    sched_rr_timeslice_ms sched_rt_period_us sched_rt_runtime_us sched_wakeup_granularity_ns seccomp.actions_avail
    seccomp.actions_logged sem sem_next_id shm_next_id shm_rmid_forced shmall shmmax shmmni soft_watchdog
    softlockup_all_cpu_backtrace softlockup_panic split_lock_mitigate sysctl_writes_strict tainted task_delayacct
    threads-max timer_migration traceoff_on_warning tracepoint_printk unknown_nmi_panic unprivileged_bpf_disabled
    version warn_limit watchdog watchdog_cpumask watchdog_thresh yama.ptrace_scope
  `),
  "net.bridge": words(`
    bridge-nf-call-arptables bridge-nf-call-ip6tables bridge-nf-call-iptables
  `),
  "net.core": words(`
    bpf_jit_enable bpf_jit_harden bpf_jit_kallsyms bpf_jit_limit busy_poll busy_read default_qdisc dev_weight
    dev_weight_rx_bias dev_weight_tx_bias devconf_inherit_init_net fb_tunnels_only_for_init_net flow_limit_cpu_bitmap
    flow_limit_table_len gro_normal_batch high_order_alloc_disable max_skb_frags mem_pcpu_rsv message_burst
    message_cost netdev_budget netdev_budget_usecs netdev_max_backlog netdev_rss_key netdev_tstamp_prequeue
    netdev_unregister_timeout_secs optmem_max rmem_default rmem_max rps_default_mask rps_sock_flow_entries
    skb_defer_max somaxconn tstamp_allow_data txrehash warnings wmem_default wmem_max xfrm_acq_expires
    xfrm_aevent_etime xfrm_aevent_rseqth xfrm_larval_drop
  `),
  "net.ipv4": words(`
    cipso_cache_bucket_size cipso_cache_enable cipso_rbm_optfmt cipso_rbm_strictvalid fib_multipath_hash_fields
    fib_multipath_hash_policy fib_multipath_hash_seed fib_multipath_use_neigh fib_notify_on_flag_change fib_sync_mem
    fwmark_reflect icmp_echo_enable_probe icmp_echo_ignore_all icmp_echo_ignore_broadcasts
    icmp_errors_use_inbound_ifaddr icmp_ignore_bogus_error_responses icmp_msgs_burst icmp_msgs_per_sec icmp_ratelimit
    icmp_ratemask igmp_link_local_mcast_reports igmp_max_memberships igmp_max_msf igmp_qrv inet_peer_maxttl
    inet_peer_minttl inet_peer_threshold ip_autobind_reuse ip_default_ttl ip_dynaddr ip_early_demux ip_forward
    ip_forward_update_priority ip_forward_use_pmtu ip_local_port_range ip_local_reserved_ports ip_no_pmtu_disc
    ip_nonlocal_bind ip_unprivileged_port_start ipfrag_high_thresh ipfrag_low_thresh ipfrag_max_dist
    ipfrag_secret_interval ipfrag_time nexthop_compat_mode ping_group_range raw_l3mdev_accept route.gc_timeout
    route.max_size tcp_abort_on_overflow tcp_adv_win_scale tcp_allowed_congestion_control tcp_app_win tcp_autocorking
    tcp_available_congestion_control tcp_available_ulp tcp_backlog_ack_defer tcp_base_mss tcp_challenge_ack_limit
    tcp_child_ehash_entries tcp_comp_sack_delay_ns tcp_comp_sack_nr tcp_comp_sack_slack_ns tcp_congestion_control
    tcp_dsack tcp_early_demux tcp_early_retrans tcp_ecn tcp_ecn_fallback tcp_ecn_option tcp_ecn_option_beacon
    tcp_ehash_entries tcp_fack tcp_fastopen tcp_fastopen_blackhole_timeout_sec tcp_fastopen_key tcp_fin_timeout
    tcp_frto tcp_fwmark_accept tcp_invalid_ratelimit tcp_keepalive_intvl tcp_keepalive_probes tcp_keepalive_time
    tcp_l3mdev_accept tcp_limit_output_bytes tcp_low_latency tcp_max_orphans tcp_max_reordering tcp_max_syn_backlog
    tcp_max_tw_buckets tcp_mem tcp_migrate_req tcp_min_rtt_wlen tcp_min_snd_mss tcp_min_tso_segs tcp_moderate_rcvbuf
    tcp_mtu_probe_floor tcp_mtu_probing tcp_no_metrics_save tcp_no_ssthresh_metrics_save tcp_notsent_lowat
    tcp_orphan_retries tcp_pacing_ca_ratio tcp_pacing_ss_ratio tcp_pingpong_thresh tcp_plb_cong_thresh tcp_plb_enabled
    tcp_plb_idle_rehash_rounds tcp_plb_rehash_rounds tcp_plb_suspend_rto_sec tcp_probe_interval tcp_probe_threshold
    tcp_recovery tcp_reflect_tos tcp_reordering tcp_retrans_collapse tcp_retries1 tcp_retries2 tcp_rfc1337 tcp_rmem
    tcp_rto_max_ms tcp_rto_min_us tcp_sack tcp_shrink_window tcp_slow_start_after_idle tcp_stdurg
    tcp_syn_linear_timeouts tcp_syn_retries tcp_synack_retries tcp_syncookies tcp_thin_linear_timeouts tcp_timestamps
    tcp_tso_rtt_log tcp_tso_win_divisor tcp_tw_recycle tcp_tw_reuse tcp_tw_reuse_delay tcp_window_scaling tcp_wmem
    tcp_workaround_signed_windows udp_child_hash_entries udp_early_demux udp_hash_entries udp_l3mdev_accept udp_mem
    udp_rmem_min udp_wmem_min xfrm4_gc_thresh
  `),
  "net.netfilter": words(`
    nf_conntrack_acct nf_conntrack_buckets nf_conntrack_checksum nf_conntrack_count nf_conntrack_events
    nf_conntrack_expect_max nf_conntrack_frag6_high_thresh nf_conntrack_frag6_low_thresh nf_conntrack_frag6_timeout
    nf_conntrack_generic_timeout nf_conntrack_gre_timeout nf_conntrack_gre_timeout_stream nf_conntrack_icmp_timeout
    nf_conntrack_icmpv6_timeout nf_conntrack_log_invalid nf_conntrack_max nf_conntrack_sctp_timeout_closed
    nf_conntrack_sctp_timeout_cookie_echoed nf_conntrack_sctp_timeout_cookie_wait
    nf_conntrack_sctp_timeout_established nf_conntrack_sctp_timeout_heartbeat_sent
    nf_conntrack_sctp_timeout_shutdown_ack_sent nf_conntrack_sctp_timeout_shutdown_recd
    nf_conntrack_sctp_timeout_shutdown_sent nf_conntrack_tcp_be_liberal nf_conntrack_tcp_ignore_invalid_rst
    nf_conntrack_tcp_loose nf_conntrack_tcp_max_retrans nf_conntrack_tcp_timeout_close
    nf_conntrack_tcp_timeout_close_wait nf_conntrack_tcp_timeout_established nf_conntrack_tcp_timeout_fin_wait
    nf_conntrack_tcp_timeout_last_ack nf_conntrack_tcp_timeout_max_retrans nf_conntrack_tcp_timeout_syn_recv
    nf_conntrack_tcp_timeout_syn_sent nf_conntrack_tcp_timeout_time_wait nf_conntrack_tcp_timeout_unacknowledged
    nf_conntrack_timestamp nf_conntrack_udp_timeout nf_conntrack_udp_timeout_stream nf_hooks_lwtunnel nf_log.0
    nf_log.1 nf_log.10 nf_log.2 nf_log.3 nf_log.4 nf_log.5 nf_log.6 nf_log.7 nf_log.8 nf_log.9 nf_log_all_netns
  `),
  user: words(`
    max_cgroup_namespaces max_fanotify_groups max_fanotify_marks max_inotify_instances max_inotify_watches
    max_ipc_namespaces max_mnt_namespaces max_net_namespaces max_pid_namespaces max_time_namespaces
    max_user_namespaces max_uts_namespaces
  `),
  vm: words(`
    admin_reserve_kbytes block_dump compact_memory compact_unevictable_allowed compaction_proactiveness defrag_mode
    dirty_background_bytes dirty_background_ratio dirty_bytes dirty_expire_centisecs dirty_ratio
    dirty_writeback_centisecs dirtytime_expire_seconds drop_caches extfrag_threshold hugetlb_optimize_vmemmap
    hugetlb_shm_group laptop_mode legacy_va_layout lowmem_reserve_ratio max_map_count memfd_noexec min_free_kbytes
    min_slab_ratio min_unmapped_ratio mmap_min_addr mmap_rnd_bits mmap_rnd_compat_bits nr_hugepages
    nr_hugepages_mempolicy nr_overcommit_hugepages numa_stat numa_zonelist_order oom_dump_tasks
    oom_kill_allocating_task overcommit_kbytes overcommit_memory overcommit_ratio page-cluster page_lock_unfairness
    panic_on_oom percpu_pagelist_high_fraction shrink_inodes_with_pagecache stat_interval stat_refresh swappiness
    unprivileged_userfaultfd user_reserve_kbytes vfs_cache_pressure vfs_cache_pressure_denom watermark_boost_factor
    watermark_scale_factor zone_reclaim_mode
  `),
  net: words(`
    nf_conntrack_max
  `),
};

export const knownSysctls: ReadonlySet<string> = new Set(
  Object.entries(names).flatMap(([start, own]) => own.map((name) => `${start}.${name}`)),
);

/** Sysctls of `vm`, `net.core` and `user` that take something else than numbers. */
const otherValues = new Set([
  ...words("vm.numa_zonelist_order vm.numa_stat vm.stat_refresh net.core.default_qdisc net.core.flow_limit_cpu_bitmap"),
  ...words("net.core.netdev_rss_key net.core.rps_default_mask"),
]);

/** Those for which the kernel refuses anything but numbers. */
export const numericSysctls: ReadonlySet<string> = new Set(
  [...knownSysctls].filter((name) => /^(vm|net\.core|user)\./.test(name) && !otherValues.has(name)),
);

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
