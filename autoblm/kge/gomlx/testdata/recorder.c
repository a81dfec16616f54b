// A PJRT plugin that compiles nothing: it writes the programs that it is asked to
// compile into the folder RECORDER_DIR and refuses them. With it, what is built for
// XLA can be looked at on a machine without XLA.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "pjrt_c_api.h"
struct PJRT_Error { const char* m; };
static PJRT_Error* fail(const char* m) { PJRT_Error* e = malloc(sizeof *e); e->m = m; return e; }
static void errDestroy(PJRT_Error_Destroy_Args* a) { free((void*)a->error); }
static void errMessage(PJRT_Error_Message_Args* a) { a->message = a->error->m; a->message_size = strlen(a->error->m); }
static PJRT_Error* errCode(PJRT_Error_GetCode_Args* a) { a->code = PJRT_Error_Code_UNIMPLEMENTED; return NULL; }
static PJRT_Error* nothing(void* a) { return fail("the recorder cannot do that"); }
static PJRT_Error* init(PJRT_Plugin_Initialize_Args* a) { return NULL; }
static PJRT_Error* attrs(PJRT_Plugin_Attributes_Args* a) { a->num_attributes = 0; a->attributes = NULL; return NULL; }
static int dev[4];
static PJRT_Device* devs[1] = {(PJRT_Device*)&dev[1]};
static PJRT_Error* create(PJRT_Client_Create_Args* a) { a->client = (PJRT_Client*)&dev[0]; return NULL; }
static PJRT_Error* cdestroy(PJRT_Client_Destroy_Args* a) { return NULL; }
static PJRT_Error* pname(PJRT_Client_PlatformName_Args* a) { a->platform_name = "recorder"; a->platform_name_size = 8; return NULL; }
static PJRT_Error* pver(PJRT_Client_PlatformVersion_Args* a) { a->platform_version = "1"; a->platform_version_size = 1; return NULL; }
static PJRT_Error* pidx(PJRT_Client_ProcessIndex_Args* a) { a->process_index = 0; return NULL; }
static PJRT_Error* cdev(PJRT_Client_Devices_Args* a) { a->devices = devs; a->num_devices = 1; return NULL; }
static PJRT_Error* adev(PJRT_Client_AddressableDevices_Args* a) { a->addressable_devices = devs; a->num_addressable_devices = 1; return NULL; }
static PJRT_Error* isaddr(PJRT_Device_IsAddressable_Args* a) { a->is_addressable = 1; return NULL; }
static PJRT_Error* desc(PJRT_Device_GetDescription_Args* a) { a->device_description = (PJRT_DeviceDescription*)&dev[2]; return NULL; }
static PJRT_Error* dpidx(PJRT_DeviceDescription_ProcessIndex_Args* a) { a->process_index = 0; return NULL; }
static PJRT_Error* ddebug(PJRT_DeviceDescription_DebugString_Args* a) { a->debug_string = "recorder"; a->debug_string_size = 8; return NULL; }
static PJRT_Error* hw(PJRT_Device_LocalHardwareId_Args* a) { a->local_hardware_id = 0; return NULL; }
static PJRT_Error* assign(PJRT_Client_DefaultDeviceAssignment_Args* a) { for (size_t i = 0; i < a->default_assignment_size; i++) a->default_assignment[i] = 0; return NULL; }
static int nprog;
static PJRT_Error* compile(PJRT_Client_Compile_Args* a) {
  const char* dir = getenv("RECORDER_DIR"); char name[512];
  if (dir) { snprintf(name, sizeof name, "%s/program-%d.%.*s", dir, nprog++, (int)a->program->format_size, a->program->format); FILE* f = fopen(name, "w"); fwrite(a->program->code, 1, a->program->code_size, f); fclose(f); }
  return fail("recorded, not compiled");
}
static PJRT_Api api;
const PJRT_Api* GetPjrtApi(void) {
  void** p = (void**)&api;
  for (size_t i = 0; i < sizeof api / sizeof(void*); i++) p[i] = (void*)nothing;
  api.struct_size = PJRT_Api_STRUCT_SIZE; api.extension_start = NULL;
  api.pjrt_api_version.struct_size = PJRT_Api_Version_STRUCT_SIZE; api.pjrt_api_version.extension_start = NULL;
  api.pjrt_api_version.major_version = PJRT_API_MAJOR; api.pjrt_api_version.minor_version = PJRT_API_MINOR;
  api.PJRT_Error_Destroy = errDestroy; api.PJRT_Error_Message = errMessage; api.PJRT_Error_GetCode = errCode;
  api.PJRT_Plugin_Initialize = init; api.PJRT_Plugin_Attributes = attrs;
  api.PJRT_Client_Create = create; api.PJRT_Client_Destroy = cdestroy; api.PJRT_Client_PlatformName = pname; api.PJRT_Client_PlatformVersion = pver;
  api.PJRT_Client_ProcessIndex = pidx; api.PJRT_Client_Devices = cdev; api.PJRT_Client_AddressableDevices = adev;
  api.PJRT_Device_IsAddressable = isaddr; api.PJRT_Device_GetDescription = desc; api.PJRT_DeviceDescription_ProcessIndex = dpidx;
  api.PJRT_DeviceDescription_DebugString = ddebug; api.PJRT_Device_LocalHardwareId = hw; api.PJRT_Client_DefaultDeviceAssignment = assign;
  api.PJRT_Client_Compile = compile;
  return &api;
}
